import Results
import UploadScenario

/// Records posts (jobs of uploads) of one contender, and times as many posts without recording. Only one thread may use it.
package final class TraceWorker: Worker {
  private let setup: UploadSetup

  package init(_ setup: UploadSetup) { self.setup = setup }

  package func run(_ request: TraceRequest) throws -> TraceReply {
    let clock = setup.clock
    let recorder = PostRecorder(capacity: request.scenario.mostRequests, clock: clock)
    var traced = setup
    traced.makeServices = { [setup] in
      try setup.makeServices($0, $1, $2).map { TracingService(base: $0, recorder: recorder) }
    }
    let worker = UploadWorker(traced)
    worker.recorder = recorder
    var reply = TraceReply(outcome: .measured, reason: nil)
    func nanoseconds(recorded: Bool) throws -> UInt64 {
      guard reply.outcome == .measured else { return 0 }
      recorder.isOn = recorded
      let sample = try worker.run(SampleRequest(scenario: request.scenario, iterations: 1))
      if sample.outcome != .measured { reply.fail(sample.outcome, sample.reason ?? "unknown reason") }
      return sample.wallNanoseconds
    }
    func goesOn(_ count: Int, _ counts: ClosedRange<Int>, until end: UInt64) -> Bool {
      reply.outcome == .measured
        && (count < counts.lowerBound || count < counts.upperBound && clock.nanoseconds() < end)
    }

    let begin = clock.nanoseconds()
    var warmUps = 0
    while goesOn(warmUps, TraceRequest.warmUps, until: begin + request.nanoseconds / 4) {
      for recorded in [false, true] { _ = try nanoseconds(recorded: recorded) }
      warmUps += 1
    }
    var traces: [PostTrace] = []
    while goesOn(traces.count, TraceRequest.pairs, until: begin + request.nanoseconds) {
      // The order alternates, because the second of two posts profits from caches that the first has filled.
      let isPlainFirst = traces.count.isMultiple(of: 2)
      if isPlainFirst { reply.plainNanoseconds.append(try nanoseconds(recorded: false)) }
      reply.recordedNanoseconds.append(try nanoseconds(recorded: true))
      let trace = recorder.trace(asksAtOnce: request.scenario.asksAtOnce)
      if !isPlainFirst { reply.plainNanoseconds.append(try nanoseconds(recorded: false)) }
      guard let trace else {
        reply.fail(.failed, "not recorded: a post made too many requests, or a callback took over 1 s")
        break
      }
      traces.append(trace)
    }
    if reply.outcome == .measured { reply.post = Self.middle(of: traces) }
    return reply
  }

  private static func middle(of traces: [PostTrace]) -> PostTrace? {
    let sorted = traces.sorted { $0.completed.nanoseconds < $1.completed.nanoseconds }
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}

extension Scenario {
  /// Whether all uploads start together, without waiting for answers.
  fileprivate var asksAtOnce: Bool {
    pattern.requests == .one && !pattern.blocksThreads
      && (pattern.width == .all || pattern.width == .limit && limit ?? .max >= fanOut)
  }

  /// The maximum number of requests, including retries.
  fileprivate var mostRequests: Int { requestCount * max(1, pattern.retries ? retry.attempts : 1) + 2 }
}

package struct TraceRequest: WorkerRequest {
  package typealias Reply = TraceReply

  package var scenario: Scenario
  package var nanoseconds: UInt64

  /// The fewest and most posts for the warm-up and (`pairs`) for the measurement, each run with and without recording.
  static let warmUps = 3...20
  static let pairs = 5...101

  package init(scenario: Scenario, nanoseconds: UInt64 = 1_000_000_000) {
    (self.scenario, self.nanoseconds) = (scenario, nanoseconds)
  }
}

package struct TraceReply: WorkerReply, Hashable {
  package var outcome: Outcome
  package var reason: String?
  /// The recorded post with the median time; `nil` if a post failed.
  package var post: PostTrace?
  /// The times of the posts without and with recording.
  package var plainNanoseconds: [UInt64] = []
  package var recordedNanoseconds: [UInt64] = []

  package init(outcome: Outcome, reason: String?) { (self.outcome, self.reason) = (outcome, reason) }
}

/// A service that records its requests while the recorder is on.
struct TracingService: UploadService {
  let base: any UploadService
  let recorder: PostRecorder

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    guard recorder.isOn else { return base.perform(request, completion: completion) }
    let number = recorder.willAsk(request.ledgerIndex)
    defer { recorder.hasAsked(number) }
    return base.perform(request, completion: recorded(number, completion))
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    guard recorder.isOn else { return base.createPost(post, receipts: receipts, completion: completion) }
    let number = recorder.willAsk(-1)
    defer { recorder.hasAsked(number) }
    return base.createPost(post, receipts: receipts, completion: recorded(number, completion))
  }

  private func recorded<Value>(_ number: Int, _ completion: @escaping Callback<Value>) -> Callback<Value> {
    { [recorder] result in
      recorder.isAnswered(number)
      completion(result)
      recorder.hasAnswered(number)
    }
  }

  func uploadBlocking(_ media: Media) throws -> Receipt {
    guard recorder.isOn else { return try base.uploadBlocking(media) }
    let number = recorder.willAsk(Request.upload(media).ledgerIndex)
    defer {
      recorder.isAnswered(number)
      recorder.hasAnswered(number)
      recorder.hasAsked(number)
    }
    return try base.uploadBlocking(media)
  }

  func prepare(_ media: Media) throws -> PreparedMedia { try base.prepare(media) }

  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }
}
