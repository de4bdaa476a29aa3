import Foundation
import RawThreads
import Results

/// The worker's side of the pipe: a request per line in, a reply per line out.
public enum WorkerLoop {
  /// Serves requests until standard input ends, which it does when the parent is gone; then the process ends at once,
  /// whatever it was doing.
  ///
  /// Samples are taken on a raw thread of their own, so that the main thread can notice the parent's end in the middle
  /// of one. Interrupts are left to the parent.
  public static func serve<Work: Workload>(_ makeWorker: @escaping @Sendable () throws -> any Worker<Work>)
    -> Never
  {
    signal(SIGINT, SIG_IGN)
    WorkerOutput.claim()
    let requests = LineQueue()
    _ = RawThread(name: "driver") {
      do {
        let worker = try makeWorker()
        while true { try answer(requests.next(), worker) }
      } catch {
        let failed = SampleReply(outcome: .failed, reason: "\(error)", iterations: 0)
        try? send(failed)
        exit(1)
      }
    }
    while let line = readLine() { requests.append(line) }
    _exit(0)
  }

  private static func answer<Work: Workload>(_ line: String, _ worker: any Worker<Work>) throws {
    let request = try JSONDecoder().decode(SampleRequest<Work>.self, from: Data(line.utf8))
    do {
      try send(worker.run(request))
    } catch {
      try send(SampleReply(outcome: .failed, reason: "\(error)", iterations: request.iterations))
    }
  }

  private static func send(_ reply: SampleReply) throws {
    try WorkerOutput.say(JSONEncoder().encode(reply))
  }
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
