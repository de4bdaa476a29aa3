import Foundation
import Harness

/// What comes before anything is started that has to be ended again.
enum Preparation {
  /// Listens to whoever wants to end it, and makes sure that workers can be spoken with.
  static func begin(
    descriptors: Int = ProcessLimits.descriptors, addressBytes: Int = ProcessLimits.addressBytes,
    threads: @autoclosure () -> Int = ProcessLimits.startableThreads,
    temporaryFolder: String = FileManager.default.temporaryDirectory.path
  ) throws {
    guard descriptors >= ProcessLimits.leastDescriptors else {
      throw FileProblem(
        "only \(descriptors) files may be open at once, and workers need up to \(ProcessLimits.leastDescriptors): allow more, with `ulimit -n \(ProcessLimits.leastDescriptors)`, in a new shell if this one may not."
      )
    }
    guard addressBytes >= ProcessLimits.leastAddressBytes else {
      throw FileProblem(
        "only \(addressBytes >> 20) MiB of address space are allowed, and threads need up to \(ProcessLimits.leastAddressBytes >> 20) MiB: allow more, with `ulimit -v unlimited`, in a new shell if this one may not."
      )
    }
    if let reason = TemporaryFolder.reasonNotToWrite(in: temporaryFolder) {
      throw FileProblem(
        "cannot write temporary files in \(temporaryFolder): \(reason). Have TMPDIR name a folder that can be written."
      )
    }
    // Last, for without address space there are no threads either.
    let threads = threads()
    guard threads >= ProcessLimits.leastThreads else {
      throw FileProblem(
        "only \(threads) more threads can be started, and workers need up to \(ProcessLimits.leastThreads): allow more, with `ulimit -u` for this user or with `pids.max` for its control group, the container's."
      )
    }
    Interruption.listen()
  }
}

/// Descriptors 0, 1 and 2, which a process takes to be its standard input, output and error.
enum StandardDescriptors {
  /// Puts an empty file behind each that was closed before the process began: else the next file that is opened, a record
  /// perhaps, would be standard output. Nothing can be written to it, so that what is printed there fails as before.
  static func fill() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // It gets the lowest number that is free, which is this one.
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
