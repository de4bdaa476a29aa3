import Foundation
import Harness
import Synchronization
import UploadScenario

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

/// Folders that are to be gone when the command has ended, also if the user has no patience.
///
/// For any thread.
enum TemporaryFolder {
  private static let paths = Mutex<Set<String>>([])

  /// The path of a new one, which is not there yet.
  static func path(_ stem: String) -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(stem)-\(UUID().uuidString)")
      .path
    adopt(path)
    return path
  }

  /// What the system says to a file in a folder; nil if it takes one.
  ///
  /// A file is made, for root is told that it may write wherever it asks.
  static func reasonNotToWrite(in folder: String) -> String? {
    let file = "\(folder)/fanout-\(UUID().uuidString)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    _ = close(descriptor)
    unlink(file)
    return nil
  }

  /// Has a folder removed that lies where the user wants it.
  static func adopt(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
    paths.withLock { _ = $0.remove(path) }
  }

  /// Before the process ends somewhere else than in `main`.
  static func removeAll() { for path in paths.withLock({ $0 }) { removeInUse(path) } }

  /// Under another name: workers may be writing, and a folder that is being filled cannot be removed.
  static func removeInUse(_ path: String) {
    let gone = path + "-gone"
    remove(rename(path, gone) == 0 ? gone : path)
    paths.withLock { _ = $0.remove(path) }
  }
}

/// Scenarios on the real services, each held against what it promises.
struct ServiceChecks {
  /// How many scenarios' posts were checked, and what differed from the expectation.
  struct Result {
    var checks = 0
    var violations: [Violation] = []
    /// Time ran out before all were checked.
    var isCutShort = false
    /// Other processes had the processors, so that not all could be checked.
    var wasStarved = false
  }

  struct Violation: Equatable {
    /// nil: it is about all of them.
    let scenario: String?
    let words: String
  }

  /// Runs each scenario a few times on one worker, or on a fresh one after a failure. `isOver` is asked before each sample,
  /// `isLate` while one is waited for.
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
