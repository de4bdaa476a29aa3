import Foundation
import Harness
import Synchronization
import UploadScenario

enum Preparation {
  /// Starts to listen for signals, once files, memory, temporary files and threads suffice.
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
        "cannot write temporary files in \(temporaryFolder): \(reason). Set TMPDIR to a writable folder."
      )
    }
    // Last: without address space there are no threads either.
    let threads = threads()
    guard threads >= ProcessLimits.leastThreads else {
      throw FileProblem(
        "only \(threads) more threads can be started, and workers need up to \(ProcessLimits.leastThreads): allow more, with `ulimit -u` for this user or with `pids.max` for its control group, the container's."
      )
    }
    Interruption.listen()
  }
}

/// Descriptors 0, 1 and 2: standard input, output and error.
enum StandardDescriptors {
  /// Opens /dev/null for each closed one: otherwise the next file opened, perhaps a record, would be standard output. Read-only,
  /// so that writes fail as before.
  static func fill() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // open returns the lowest free number, which is this one.
      _ = open("/dev/null", O_RDONLY)
    }
  }
}

/// Folders that the command removes before it ends, also after a second Ctrl-C. For any thread.
enum TemporaryFolder {
  private static let paths = Mutex<Set<String>>([])

  /// A unique path for a new folder, which the caller creates.
  static func path(_ stem: String) -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(stem)-\(UUID().uuidString)")
      .path
    adopt(path)
    return path
  }

  /// Why no file can be created in a folder; nil if one can. It creates one, because `access` always permits root.
  static func reasonNotToWrite(in folder: String) -> String? {
    let file = "\(folder)/fanout-\(UUID().uuidString)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    _ = close(descriptor)
    unlink(file)
    return nil
  }

  /// Adds a folder that lies elsewhere.
  static func adopt(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
    paths.withLock { _ = $0.remove(path) }
  }

  /// For a process that ends elsewhere than in `main`.
  static func removeAll() { for path in paths.withLock({ $0 }) { removeInUse(path) } }

  /// Renames it first: a folder cannot be removed while workers write to it.
  static func removeInUse(_ path: String) {
    let gone = path + "-gone"
    remove(rename(path, gone) == 0 ? gone : path)
    paths.withLock { _ = $0.remove(path) }
  }
}

/// Runs scenarios on the real services and checks their results.
struct ServiceChecks {
  struct Result {
    var checks = 0
    var violations: [Violation] = []
    var isCutShort = false
    /// Other processes had the processors, so not all were checked.
    var wasStarved = false
  }

  struct Violation: Equatable {
    /// nil: the violation concerns all of them.
    let scenario: String?
    let words: String
  }

  /// Runs each scenario a few times on one worker, or on a fresh one after a failure. `isOver` ends it before a sample,
  /// `isLate` during one.
  static func run(
    _ contender: String, _ scenarios: [Scenario], timeoutNanoseconds: UInt64? = nil,
    isOver: @escaping () -> Bool, isLate: @escaping @Sendable () -> Bool
  ) -> Result {
    var result = Result()
    let plan = RunPlan(run: "verify", contenders: [contender], scenarios: scenarios) { plan in
      plan.generations = 1
      plan.rounds = 1
      plan.warmUpSamples = 2
      plan.countedGenerations = 0
      plan.sampleNanoseconds = 1
      plan.timeoutNanoseconds = timeoutNanoseconds
    }
    let runner = Runner(
      plan: plan, launcher: WorkerCommand.launcher(isLate: isLate),
      isInterrupted: { Interruption.isRequested || isOver() },
      record: { sample in
        if sample.reason?.hasSuffix(WorkerFailure.starvation) == true { return result.wasStarved = true }
        result.checks += 1
        if sample.outcome != .measured {
          result.violations.append(
            Violation(scenario: sample.scenario, words: sample.reason ?? sample.outcome.rawValue))
        }
      })
    do { result.isCutShort = try !runner.run() || result.wasStarved } catch {
      result.violations.append(Violation(scenario: nil, words: "\(error)"))
    }
    return result
  }
}
