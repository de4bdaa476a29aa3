import Foundation
import Harness
import Synchronization
import UploadScenario

enum Preparation {
  /// Checks that there are enough files, memory, temporary files and threads. Then starts to handle signals.
  static func begin(
    descriptors: Int = ProcessLimits.descriptors, addressBytes: Int = ProcessLimits.addressBytes,
    threads: @autoclosure () -> Int = ProcessLimits.startableThreads,
    temporaryFolder: String = FileManager.default.temporaryDirectory.path
  ) throws {
    guard descriptors >= ProcessLimits.leastDescriptors else {
      throw FileProblem(
        "only \(descriptors) files may be open at once, and workers need up to \(ProcessLimits.leastDescriptors): allow more, with `ulimit -n \(ProcessLimits.leastDescriptors)`; if this shell may not raise the limit, use a new one."
      )
    }
    guard addressBytes >= ProcessLimits.leastAddressBytes else {
      throw FileProblem(
        "only \(addressBytes >> 20) MiB of address space are allowed, and threads need up to \(ProcessLimits.leastAddressBytes >> 20) MiB: allow more, with `ulimit -v unlimited`; if this shell may not raise the limit, use a new one."
      )
    }
    if let reason = TemporaryFolder.reasonNotToWrite(in: temporaryFolder) {
      throw FileProblem(
        "cannot write temporary files in \(temporaryFolder): \(reason). Set TMPDIR to a writable folder."
      )
    }
    // Threads are checked last, because no thread can start without address space.
    let threads = threads()
    guard threads >= ProcessLimits.leastThreads else {
      throw FileProblem(
        "only \(threads) more threads can be started, and workers need up to \(ProcessLimits.leastThreads): allow more, with `ulimit -u` for this user or with `pids.max` of the container's control group."
      )
    }
    Interruption.listen()
  }
}

/// The descriptors 0, 1 and 2: standard input, output and error.
enum StandardDescriptors {
  /// Opens /dev/null for closed descriptors, because the next opened file would take their numbers. Read-only, so that writes still fail.
  static func fill() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // `open` returns the lowest free descriptor, which is the closed one.
      _ = open("/dev/null", O_RDONLY)
    }
  }
}

/// The temporary folders, which the command removes before it ends, even after a second Ctrl-C. Thread-safe.
enum TemporaryFolder {
  private static let paths = Mutex<Set<String>>([])

  /// A unique path for a new folder. The caller must create the folder.
  static func path(_ stem: String) -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(stem)-\(UUID().uuidString)")
      .path
    paths.withLock { _ = $0.insert(path) }
    return path
  }

  /// Why no file can be created in a folder, or `nil` if one can. Creates a file to find out, because `access` permits root everything.
  static func reasonNotToWrite(in folder: String) -> String? {
    let file = "\(folder)/fanout-\(UUID().uuidString)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    _ = close(descriptor)
    unlink(file)
    return nil
  }

  static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
    paths.withLock { _ = $0.remove(path) }
  }

  /// Removes all temporary folders. Called if the process ends early.
  static func removeAll() { for path in paths.withLock({ $0 }) { removeInUse(path) } }

  /// Removes a folder in which workers may still create files. It is renamed first, because new files would make the removal fail.
  static func removeInUse(_ path: String) {
    let gone = path + "-gone"
    remove(rename(path, gone) == 0 ? gone : path)
    paths.withLock { _ = $0.remove(path) }
  }
}

/// The part of `bench verify` that runs scenarios on real services and checks the results.
struct ServiceChecks {
  struct Result {
    var checks = 0
    var violations: [Violation] = []
    var isCutShort = false
    /// Whether busy processors left too little time to check some scenarios.
    var wasStarved = false
  }

  struct Violation: Equatable {
    /// The scenario in which the violation was seen. `nil` if the violation concerns all scenarios.
    let scenario: String?
    let words: String
  }

  /// Runs each scenario a few times. `isOver` ends the checks before the next sample, `isLate` even during a sample.
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
