import Foundation
import RawThreads
import Results

/// The worker's side of the pipe: a request per line in, a reply per line out.
public enum WorkerLoop {
  /// Serves requests until standard input ends, which it does when the parent is gone; then the process ends at once,
  /// whatever it was doing.
  ///
  /// Samples are taken on a raw thread of their own, so that the main thread can notice the parent's end in the middle
  /// of one. What ends the run is left to the parent.
  public static func serve<Work: Workload>(_ makeWorker: @escaping @Sendable () throws -> any Worker<Work>)
    -> Never
  {
    serve { () -> (SampleRequest<Work>) -> SampleReply in
      let worker = try makeWorker()
      return { request in
        do { return try worker.run(request) } catch {
          return SampleReply(outcome: .failed, reason: "\(error)", iterations: request.iterations)
        }
      }
    } failure: {
      SampleReply(outcome: .failed, reason: "\($0)", iterations: 0)
    }
  }

  /// The same for windows of load.
  public static func serve(_ makeWorker: @escaping @Sendable () throws -> LoadWorker) -> Never {
    serve { () -> (LoadRequest) -> LoadReply in
      let worker = try makeWorker()
      PreciseSleep.sharpenThisThread()
      return { request in
        do { return try worker.run(request) } catch {
          return LoadReply(outcome: .failed, reason: "\(error)")
        }
      }
    } failure: {
      LoadReply(outcome: .failed, reason: "\($0)")
    }
  }

  /// - Parameters:
  ///   - makeAnswer: is called once, on the thread that answers.
  ///   - failure: what to say before the process ends because there is no worker, or no sense in a request.
  private static func serve<Request: Decodable & Sendable, Reply: Encodable & Sendable>(
    _ makeAnswer: @escaping @Sendable () throws -> (Request) -> Reply,
    failure: @escaping @Sendable (any Error) -> Reply
  ) -> Never {
    EndingSignals.leaveToParent()
    WorkerOutput.claim()
    let requests = LineQueue()
    _ = RawThread(name: "driver") {
      do {
        let answer = try makeAnswer()
        while true {
          let request = try JSONDecoder().decode(Request.self, from: Data(requests.next().utf8))
          try WorkerOutput.say(JSONEncoder().encode(answer(request)))
        }
      } catch {
        try? WorkerOutput.say((try? JSONEncoder().encode(failure(error))) ?? Data())
        exit(1)
      }
    }
    while let line = readLine() { requests.append(line) }
    _exit(0)
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
