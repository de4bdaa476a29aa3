import UploadScenario

/// Takes windows of load of one contender, in this process. For one thread.
public final class LoadWorker {
  private let contender: any Contender
  private let clock: LoadClock
  private let makePost: UploadWorker.MakePost
  private let makeServices: UploadWorker.MakeServices
  private var benches: [Key: LoadBench] = [:]

  private struct Key: Hashable {
    let scenario: Scenario
    let mostPosts: Int
  }

  /// - Parameters:
  ///   - contender: whom it starts.
  ///   - clock: by which posts are due and latencies are taken.
  ///   - makePost: called once per scenario; what it throws is what `run` throws.
  ///   - makeServices: called once per scenario, for as many ledgers as posts may be under way; likewise.
  public init(
    contender: any Contender, clock: LoadClock = .monotonic, makePost: @escaping UploadWorker.MakePost,
    makeServices: @escaping UploadWorker.MakeServices
  ) {
    self.contender = contender
    self.clock = clock
    self.makePost = makePost
    self.makeServices = makeServices
  }

  /// One window, on the calling thread.
  ///
  /// After a reply of `timedOut` the contender may still be busy: end the process, do not ask it again.
  /// - Throws: what keeps the posts from being prepared.
  public func run(_ request: LoadRequest) throws -> LoadReply {
    Counters.stayOff()
    let key = Key(scenario: request.scenario, mostPosts: request.mostPosts)
    let bench =
      try benches[key]
      ?? LoadBench(
        request.scenario, mostPosts: request.mostPosts, clock: clock, makePost: makePost,
        makeServices: makeServices)
    benches[key] = bench
    var generator = LoadGenerator(contender, bench, request, clock: clock)
    return generator.run()
  }
}
