import CProbes
import Foundation
import RawThreads
import Results
import Synchronization

/// Serves one contender's requests, in this process: everything that is timed happens here.
package protocol Worker<Request> {
  associatedtype Request: WorkerRequest

  /// Serves one request: does the work and holds each answer against what is expected.
  ///
  /// After a reply of `timedOut` the contender may still be busy: end the process, do not ask it again.
  /// - Throws: what keeps the work from being prepared.
  func run(_ request: Request) throws -> Request.Reply
}

/// The worker's side of the pipe: a request per line in, a reply per line out.
package enum WorkerLoop {
  /// Serves requests on a raw thread, which makes the worker, until the parent is gone: then the process ends at once.
  ///
  /// - Parameter hasMain: whether work may be done on the main actor and the main queue.
  package static func serve<Request: WorkerRequest>(
    hasMain: Bool = false, _ makeWorker: @escaping @Sendable () throws -> any Worker<Request>
  ) -> Never {
    let requests = WorkQueue<String>()
    work("driver", hasMain: hasMain, hear: { requests.push($0) }) {
      let parker = Parker()
      do {
        let worker = try makeWorker()
        // Most lines come again.
        var known: [String: Request] = [:]
        while let line = requests.pop(waitingOn: parker) {
          let request: Request
          if let met = known[line] {
            request = met
          } else {
            request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            known[line] = request
          }
          var reply: Request.Reply
          do { reply = try worker.run(request) } catch {
            reply = Request.Reply(outcome: .failed, reason: "\(error)")
          }
          if WorkerConduct.hasChildren() {
            reply = Request.Reply(outcome: .wrong, reason: "it has started a process")
          }
          // The parent looks at the threads next.
          ServiceClass.releaseHeirs()
          try WorkerOutput.say(JSONEncoder().encode(reply))
        }
      } catch {
        // There is no worker, or no sense in a request.
        let reply = Request.Reply(outcome: .failed, reason: "\(error)")
        try? WorkerOutput.say((try? JSONEncoder().encode(reply)) ?? Data())
        exit(1)
      }
    }
  }

  /// Does a worker's work on a raw thread, until the parent is gone; `hear` is given every line of standard input.
  package static func work(
    _ name: String, hasMain: Bool = false, hear: @escaping @Sendable (String) -> Void = { _ in },
    _ body: @escaping @Sendable () -> Void
  ) -> Never {
    for number in EndingSignals.all { signal(number, SIG_IGN) }
    WorkerOutput.claim()
    _ = RawThread(name: name, body: body)
    guard hasMain else { listen(hear) }
    _ = RawThread(name: "listener") { listen(hear) }
    // A run loop that waits for nothing returns.
    RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
    while true { RunLoop.main.run() }
  }

  private static func listen(_ hear: (String) -> Void) -> Never {
    while let line = WorkerInput.line() { hear(line) }
    _exit(0)
  }
}

/// What the parent says: standard input as the worker was started with. A body that reads standard input finds it empty.
enum WorkerInput {
  // Invariant: one thread reads at a time; the one that claimed it hands it on to the one that listens.
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

/// Where a worker writes to its parent: its standard output as it was started with, which nobody else writes to.
///
/// What a contender prints goes to standard error, so that it cannot be taken for a reply.
package enum WorkerOutput {
  private static let handle: FileHandle = {
    let parent = dup(STDOUT_FILENO)
    guard parent >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return .standardOutput }
    return FileHandle(fileDescriptor: parent)
  }()

  private static let lock = Mutex(())

  /// Takes standard output, before anything is printed.
  static func claim() { _ = handle }

  /// Writes one line, which has no line feed yet. Any thread may.
  package static func say(_ line: Data) throws {
    try lock.withLock { _ in try handle.write(contentsOf: line + Data("\n".utf8)) }
  }
}

/// The signals by which a user ends a command: Ctrl-C, `kill`, a terminal that is closed.
///
/// A worker ignores them, since a terminal sends them to the whole group, and ends when its standard input does.
package enum EndingSignals {
  package static let all = [SIGINT, SIGTERM, SIGHUP]
}

/// What the system says of a worker that it cannot say of itself: asked by the parent between two samples.
struct WorkerConduct {
  /// How the scheduler treats a thread.
  private struct Scheduling: Equatable {
    var policy: Int32
    var nice: Int32
    var processors: [UInt8]
  }

  private let process: Int32
  /// nil until it is known: where the worker was placed, its first thread's at the first look.
  private var usual: Scheduling?
  /// Threads that were in the batch class at the last look. A thread that a completion has just started may be, once.
  private var batched: Set<Int32> = []

  /// By how much libdispatch prefers its own threads where it may: what an idiom on top of it gets unasked.
  private static let dispatchNice: Int32 = 4

  /// - Parameter isPlaced: whether the parent had the scheduler treat it otherwise than itself.
  init(of process: Int32, isPlaced: Bool) {
    self.process = process
    usual = isPlaced ? nil : Self.scheduling(of: 0)
  }

  /// What the scheduler does for one of its threads and not for other workers; nil if there is nothing. Some 2 µs a thread.
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
        return "a thread of it has another scheduling class than it was started with"
      }
      // What Dispatch sets is the same however low the process started.
      if now.nice < min(usual.nice, 0) - Self.dispatchNice {
        return "a thread of it has a higher priority than Dispatch gives any"
      }
      if now.processors != usual.processors {
        return "a thread of it may use other processors than it was started with"
      }
    }
    return nil
  }

  /// Whether a thread answers for a service.
  private func isService(_ thread: Int32) -> Bool {
    MachineFiles.here.text("/proc/\(process)/task/\(thread)/comm") == ServiceClass.threadName + "\n"
  }

  /// Whether a signal has stopped it or let it go on since it was asked last.
  func wasStopped() -> Bool {
    #if os(Linux)
      var info = siginfo_t()
      guard waitid(P_PID, id_t(process), &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 else { return false }
      return info.si_signo != 0
    #else
      return false
    #endif
  }

  /// The processes that have a variable of their environment from it, but for itself: whoever is left, wherever it went.
  static func processes(withVariable variable: String, but process: Int32) -> [Int32] {
    ProcFolder.numbers(in: "/proc").filter { $0 != process }.filter {
      MachineFiles.here.text("/proc/\($0)/environ")?.utf8.split(separator: 0)
        .contains { $0.elementsEqual(variable.utf8) } ?? false
    }
  }

  /// Whether the calling process has children, ended ones that nobody waited for included.
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

  /// Of a thread, 0 the calling one; nil if it has ended, and where the system does not say.
  private static func scheduling(of thread: Int32) -> Scheduling? {
    var now = machine_scheduling()
    guard machine_read_scheduling(thread, &now) else { return nil }
    return Scheduling(
      policy: now.policy, nice: now.nice, processors: withUnsafeBytes(of: &now.processors) { Array($0) })
  }
}
