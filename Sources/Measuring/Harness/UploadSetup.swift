import UploadScenario

/// Who publishes what, to which services and on which clock: what all workers that upload have in common.
package struct UploadSetup {
  /// A service for each ledger, sharing the threads that answer.
  package typealias MakeServices = (Scenario, Post, [Ledger]) throws -> [any UploadService]

  let contender: any Contender
  let clock: HarnessClock
  let makePost: (Scenario) throws -> Post
  var makeServices: MakeServices

  /// - Parameters:
  ///   - makePost: the post of a scenario: made up, or read from a folder.
  ///   - makeServices: called once per scenario, as `makePost` is; what they throw is what a worker's `run` throws.
  package init(
    _ contender: any Contender, clock: HarnessClock = .monotonic,
    makePost: @escaping (Scenario) throws -> Post = { $0.syntheticPost }, makeServices: @escaping MakeServices
  ) {
    (self.contender, self.clock) = (contender, clock)
    (self.makePost, self.makeServices) = (makePost, makeServices)
  }

  /// - Parameter post: nil: the scenario's own.
  func bench(for scenario: Scenario, _ post: Post? = nil) throws -> Bench {
    let post = try post ?? makePost(scenario)
    return Bench(
      contender: contender, scenario: scenario, post: post,
      expectation: try Expectation(scenario: scenario, post: post),
      byteCounts: scenario.byteCounts(for: post), idealNanoseconds: scenario.idealNanoseconds(for: post))
  }

  func services(for bench: Bench, _ ledgers: [Ledger]) throws -> [any UploadService] {
    try makeServices(bench.scenario, bench.post, ledgers)
  }
}

/// What the posts of one scenario are made of, and what each of them is held against.
struct Bench {
  let contender: any Contender
  let scenario: Scenario
  let post: Post
  let expectation: Expectation
  /// By the request's place in the ledger.
  let byteCounts: [Int]
  let idealNanoseconds: UInt64?
}
