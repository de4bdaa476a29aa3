import CProbes
import Foundation
import RawThreads
import Results
import Synchronization

/// Measures one contender in the worker process.
package protocol Worker<Request> {
  associatedtype Request: WorkerRequest

  /// Does the work and checks every result; throws if the work cannot be prepared. After `timedOut`, the caller must end the
  /// process, since the contender's threads may still be busy.
  func run(_ request: Request) throws -> Request.Reply
}

package enum WorkerLoop {
  /// Answers requests on a thread of its own until the parent process ends. With `hasMain`, work may use the main actor.
  package static func serve<Request: WorkerRequest>(
    hasMain: Bool = false, _ makeWorker: @escaping @Sendable () throws -> any Worker<Request>
  ) -> Never {
    let requests = WorkQueue<String>()
    work("driver", hasMain: hasMain, hear: { requests.push($0) }) {
      let parker = Parker()
      do {
        let worker = try makeWorker()
        var known: [String: Request] = [:]
        while let line = requests.pop(waitingOn: parker) {
          let request = try known[line] ?? JSONDecoder().decode(Request.self, from: Data(line.utf8))
          known[line] = request
          var reply: Request.Reply
          do { reply = try worker.run(request) } catch {
            reply = Request.Reply(outcome: .failed, reason: "\(error)")
          }
          if WorkerConduct.hasChildren() {
            reply = Request.Reply(
              outcome: .wrong, reason: "the contender has started a process, which is not allowed")
          }
          // Threads that inherited the service threads' scheduling class are reset before the parent process checks them.
          ServiceClass.releaseHeirs()
          try WorkerOutput.say(JSONEncoder().encode(reply))
        }
      } catch {
        let reply = Request.Reply(outcome: .failed, reason: "\(error)")
        try? WorkerOutput.say((try? JSONEncoder().encode(reply)) ?? Data())
        exit(1)
      }
    }
  }

  /// Runs `body` on a thread of its own until the parent process ends. `hear` is called with every line of standard input.
  package static func work(
    _ name: String, hasMain: Bool = false, hear: @escaping @Sendable (String) -> Void = { _ in },
    _ body: @escaping @Sendable () -> Void
  ) -> Never {
    for number in EndingSignals.all { signal(number, SIG_IGN) }
    WorkerOutput.claim()
    _ = RawThread(name: name, body: body)
    guard hasMain else { listen(hear) }
    _ = RawThread(name: "listener") { listen(hear) }
    // A run loop without a source would return immediately.
    RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
    while true { RunLoop.main.run() }
  }

  private static func listen(_ hear: (String) -> Void) -> Never {
    while let line = WorkerInput.line() { hear(line) }
    _exit(0)
  }
}

/// The parent's requests, on the original standard input. Work that reads standard input finds it empty.
enum WorkerInput {
  // Invariant: only the listening thread accesses this file.
  private nonisolated(unsafe) static let file = {
    let parent = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    let nothing = open("/dev/null", O_RDONLY)
    guard parent >= 0, nothing >= 0, dup2(nothing, STDIN_FILENO) >= 0, let file = fdopen(parent, "r") else {
      _exit(1)
    }
    close(nothing)
    return file
  }()

  static func line() -> String? {
    var bytes: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(bytes) }
    let count = getline(&bytes, &capacity, file)
    guard count > 0, let bytes else { return nil }
    let text = UnsafeRawBufferPointer(start: bytes, count: count)
    return String(decoding: text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...], as: UTF8.self)
  }
}

/// The replies to the parent, on the original standard output. A contender's output goes to standard error instead.
package enum WorkerOutput {
  private static let handle: FileHandle = {
    let parent = dup(STDOUT_FILENO)
    guard parent >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return .standardOutput }
    return FileHandle(fileDescriptor: parent)
  }()

  private static let lock = Mutex(())

  /// Takes over standard output. Call this before any output.
  static func claim() { _ = handle }

  /// Writes one line, on any thread.
  package static func say(_ line: Data) throws {
    try lock.withLock { _ in try handle.write(contentsOf: line + Data("\n".utf8)) }
  }
}

/// The signals that end a command: those of Ctrl-C, of `kill`, and of a closed terminal. A terminal sends them to worker
/// processes, too, which ignore them and end with their standard input.
package enum EndingSignals {
  package static let all = [SIGINT, SIGTERM, SIGHUP]
}

/// The parent's checks of a worker process between two samples.
struct WorkerConduct {
  private struct Scheduling: Equatable {
    var policy: Int32
    var nice: Int32
    var processors: [UInt8]
  }

  private let process: Int32
  /// The allowed scheduling: this process's, or, if the worker was started with its own processors or class, its first
  /// thread's.
  private var usual: Scheduling?
  /// The threads in the batch class at the last check. A new thread may inherit it from a service's thread and have it once.
  private var batched: Set<Int32> = []

  /// libdispatch raises the priority of some threads by this much.
  private static let dispatchNice: Int32 = 4

  init(of process: Int32, isPlaced: Bool) {
    self.process = process
    usual = isPlaced ? nil : Self.scheduling(of: 0)
  }

  /// How a thread's scheduling breaks the rules, or `nil`. Takes about 2 µs for each thread.
  mutating func unusualScheduling() -> String? {
    let before = batched
    batched = []
    for thread in Self.threads(of: process) {
      guard let now = Self.scheduling(of: thread) else { continue }
      guard let usual else {
        usual = now
        continue
      }
      if now.policy == ServiceClass.batch, now.policy != usual.policy {
        batched.insert(thread)
        if isService(thread) || !before.contains(thread) { continue }
      }
      if now.policy != usual.policy {
        return "a thread of the worker process changed its scheduling class"
      }
      // Dispatch raises a thread to this priority even if its process has a lower one.
      if now.nice < min(usual.nice, 0) - Self.dispatchNice {
        return "a thread of the worker process has a higher priority than Dispatch gives to any"
      }
      if now.processors != usual.processors {
        return "a thread of the worker process changed its set of processors"
      }
    }
    return nil
  }

  private func isService(_ thread: Int32) -> Bool {
    MachineFiles.here.text("/proc/\(process)/task/\(thread)/comm") == ServiceClass.threadName + "\n"
  }

  /// Whether a signal has stopped or continued the worker since the last call.
  func wasStopped() -> Bool {
    #if os(Linux)
      var info = siginfo_t()
      guard waitid(P_PID, id_t(process), &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 else { return false }
      return info.si_signo != 0
    #else
      return false
    #endif
  }

  /// All processes but `process` with a variable in their environment: a worker's descendants, in any process group or session.
  static func processes(withVariable variable: String, but process: Int32) -> [Int32] {
    ProcFolder.numbers(in: "/proc").filter { $0 != process }.filter {
      MachineFiles.here.text("/proc/\($0)/environ")?.utf8.split(separator: 0)
        .contains { $0.elementsEqual(variable.utf8) } ?? false
    }
  }

  static func hasChildren() -> Bool {
    #if os(Linux)
      var info = siginfo_t()
      return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0
    #else
      return false
    #endif
  }

  private static func threads(of process: Int32) -> [Int32] {
    ProcFolder.numbers(in: "/proc/\(process)/task").sorted()
  }

  /// - Parameter thread: 0 means the calling one. Returns `nil` if it has ended or the platform does not tell.
  private static func scheduling(of thread: Int32) -> Scheduling? {
    var now = machine_scheduling()
    guard machine_read_scheduling(thread, &now) else { return nil }
    return Scheduling(
      policy: now.policy, nice: now.nice, processors: withUnsafeBytes(of: &now.processors) { Array($0) })
  }
}
