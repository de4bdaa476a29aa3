import UploadScenario

/// What a job that keeps its promises has in flight, given what was answered so far.
struct Course: Sendable {
  private let pattern: Pattern
  /// How many uploads, chunks or lookups there are.
  let count: Int
  /// At most so many of them are under way.
  private let width: Int
  /// How many requests each has in flight at once.
  private let lanes: Int
  private let attempts: Int
  private(set) var done: Set<Int> = []
  /// By the place in the ledger: how often it has failed without the job failing.
  private(set) var failures: [Int: Int] = [:]

  init(_ scenario: Scenario) {
    pattern = scenario.pattern
    count = scenario.fanOut
    width = scenario.mostUnderWay ?? scenario.fanOut
    lanes = scenario.asksBothMirrorsAtOnce ? 2 : 1
    attempts = scenario.pattern.retries ? scenario.retry.attempts : 1
  }

  var isDone: Bool { done.count == count }

  /// How many requests are in flight and not cancelled once the contender has done all it can.
  var inFlight: Int {
    let failedLanes = pattern.races ? failures.keys.count { !done.contains($0 / 2) } : 0
    return lanes * min(width, count - done.count) - failedLanes
  }

  /// Whether fewer will do: how many threads block at once is for the idiom to say.
  var mayBeNarrower: Bool { pattern.blocksThreads }

  /// Which upload, chunk or lookup a place in the ledger belongs to.
  func unit(at index: Int) -> Int { index / pattern.requestsPerUpload }

  mutating func succeeded(at index: Int) {
    if pattern.prepares, index % 2 == 0 { return }
    done.insert(unit(at: index))
  }

  /// Whether the job fails because this request failed.
  mutating func failed(at index: Int, isTransient: Bool) -> Bool {
    failures[index, default: 0] += 1
    switch pattern.requests {
    case .mirrors: return failures[index ^ 1] != nil
    case .attempts: return !isTransient || failures[index]! >= attempts
    case .one, .urlThenUpload: return true
    }
  }
}
