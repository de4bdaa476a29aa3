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
  /// Whether it starts processes itself; if not, a contender has.
  var startsProcesses: Bool { get }
}

extension Worker {
  package var startsProcesses: Bool { false }
}

/// The worker's side of the pipe: a request per line in, a reply per line out.
package enum WorkerLoop {
  /// Serves requests until standard input ends, which it does when the parent is gone; then the process ends at once,
  /// whatever it was doing.
  ///
  /// Requests are served on a raw thread of their own, so that the main thread can notice the parent's end in the middle
  /// of one. What ends the run is left to the parent.
  ///
  /// - Parameter makeWorker: is called once, on the thread that serves.
  package static func serve<Request: WorkerRequest>(
    _ makeWorker: @escaping @Sendable () throws -> any Worker<Request>
  ) -> Never {
    let requests = LineQueue()
    work("driver", hear: requests.append) {
      do {
        let worker = try makeWorker()
        while true {
          let request = try JSONDecoder().decode(Request.self, from: Data(requests.next().utf8))
          let reply: Request.Reply
          do { reply = try worker.run(request) } catch {
            reply = Request.Reply(outcome: .failed, reason: "\(error)")
          }
          try WorkerOutput.say(
            JSONEncoder().encode(reply), hasChildren: !worker.startsProcesses && WorkerConduct.hasChildren())
        }
      } catch {
        // There is no worker, or no sense in a request.
        let reply = Request.Reply(outcome: .failed, reason: "\(error)")
        try? WorkerOutput.say((try? JSONEncoder().encode(reply)) ?? Data())
        exit(1)
      }
    }
  }

  /// Does a worker's work on a raw thread, until the parent is gone.
  ///
  /// - Parameter hear: is given every line of standard input.
  package static func work(
    _ name: String, hear: (String) -> Void = { _ in }, _ body: @escaping @Sendable () -> Void
  ) -> Never {
    for number in EndingSignals.all { signal(number, SIG_IGN) }
    WorkerOutput.claim()
    _ = RawThread(name: name, body: body)
    while let line = readLine() { hear(line) }
    _exit(0)
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

  private static let seal = Mutex<Seal?>(nil)

  /// Takes standard output; before anybody prints. Reads the parent's secret, if it has one for this process.
  static func claim() {
    _ = handle
    guard getenv(LineProcess.sealName) != nil, let secret = readLine() else { return }
    unsetenv(LineProcess.sealName)
    seal.withLock { $0 = Seal(secret: secret) }
  }

  /// Writes one line, which has no line feed yet.
  package static func say(_ line: Data, hasChildren: Bool = false) throws {
    // One at a time: the lines are counted.
    try seal.withLock { seal in
      let now = MonotonicClock.nanoseconds()
      let content = Seal.Content(text: Array(line), nanoseconds: now, hasChildren: hasChildren)
      let sealed = seal?.close(content)
      try handle.write(contentsOf: (sealed.map { Data($0) } ?? line) + Data("\n".utf8))
    }
  }
}

/// The signals by which a user ends a command: Ctrl-C, `kill`, a terminal that is closed.
///
/// A worker ignores them. A terminal sends them to the whole process group: a worker that followed them would be recorded as a
/// contender that died. It ends when its standard input does.
package enum EndingSignals {
  package static let all = [SIGINT, SIGTERM, SIGHUP]
}

/// Lines from one thread to another.
private final class LineQueue: @unchecked Sendable {
  // Invariant: `lines` is touched only with `condition` held.
  private let condition = NSCondition()
  private var lines: [String] = []

  func append(_ line: String) {
    condition.withLock {
      lines.append(line)
      condition.signal()
    }
  }

  func next() -> String {
    condition.withLock {
      while lines.isEmpty { condition.wait() }
      return lines.removeFirst()
    }
  }
}
