import UploadScenario

/// What a job that keeps its promises has in flight, given what was answered so far.
package struct Course: Sendable {
  private let pattern: Pattern
  /// How many uploads, chunks or lookups there are.
  let count: Int
  /// At most so many of them are under way.
  private let width: Int
  /// How many requests each has in flight at once.
  private let lanes: Int
  private let attempts: Int
  package private(set) var done: Set<Int> = []
  /// By the place in the ledger: what it was refused with, each time.
  private var refusals: [Int: [any Error]] = [:]

  package init(_ scenario: Scenario) {
    pattern = scenario.pattern
    count = scenario.fanOut
    width = scenario.mostUnderWay ?? scenario.fanOut
    lanes = scenario.asksBothMirrorsAtOnce ? 2 : 1
    attempts = scenario.pattern.retries ? scenario.retry.attempts : 1
  }

  package var isDone: Bool { done.count == count }

  /// How many requests are in flight and not cancelled once the contender has done all it can.
  var inFlight: Int {
    let failedLanes = pattern.races ? refusals.keys.count { !done.contains($0 / 2) } : 0
    return lanes * min(width, count - done.count) - failedLanes
  }

  /// Whether fewer will do: how many threads block at once is for the idiom to say.
  var mayBeNarrower: Bool { pattern.blocksThreads }

  /// Which upload, chunk or lookup a place in the ledger belongs to.
  func unit(at index: Int) -> Int { index / pattern.requestsPerUpload }

  package mutating func succeeded(at index: Int) {
    if pattern.prepares, index % 2 == 0 { return }
    done.insert(unit(at: index))
  }

  /// How the job must end because a request fails; nil: it goes on.
  ///
  /// - Parameter attempt: which one it was of this request, if not the one after those that are known to have failed.
  package mutating func failed(at index: Int, _ error: any Error, attempt: Int? = nil) -> Ending? {
    refusals[index, default: []].append(error)
    let unit = unit(at: index)
    switch pattern.requests {
    case .mirrors:
      let mirrors = [2 * unit, 2 * unit + 1].compactMap { refusals[$0]?.last }
      guard mirrors.count == 2 else { return nil }
      return .failed(unit, RaceFailure(mediaIndex: unit, primary: mirrors[0], secondary: mirrors[1]))
    case .attempts where RetryPolicy.isTransient(error):
      return attempt ?? refusals[index]!.count >= attempts ? .failed(unit, error) : nil
    case .one, .urlThenUpload, .attempts: return .failed(unit, error)
    }
  }
}

/// How a job must end, as the script has it.
package struct Ending: Sendable {
  package let kind: Expectation.Ending
  /// Which upload, chunk or lookup fails; nil: none of them.
  let unit: Int?
  /// What the completion gets; nil: a publication.
  private let error: (any Error)?
  let name: String

  private init(_ kind: Expectation.Ending, _ name: String, _ error: (any Error)?, unit: Int? = nil) {
    (self.kind, self.name, self.error, self.unit) = (kind, name, error, unit)
  }

  package static let published = Ending(.publication, "a publication", nil)
  package static let cancelled = Ending(.cancellation, "CancellationError", CancellationError())
  package static let deadline = Ending(.deadline, "DeadlineExceeded", DeadlineExceeded())
  package static func failed(_ unit: Int?, _ error: any Error) -> Ending {
    Ending(.failure, "\(error)", error, unit: unit)
  }

  /// The rule that any other end breaks, unless the script is about a more special one.
  var rule: Rule {
    switch kind {
    case .publication: .publication
    case .failure: .firstFailure
    case .cancellation: .cancellation
    case .deadline: .deadline
    }
  }

  /// The rule that a start after the end breaks.
  var startRule: Rule {
    switch kind {
    case .publication: .everyUpload
    case .cancellation: .cancellationStops
    case .failure, .deadline: .noStartAfterFailure
    }
  }

  /// Whether nothing but the job itself can bring it about.
  var isStop: Bool { kind == .cancellation || kind == .deadline }

  func matches(_ result: Result<Publication, any Error>) -> Bool {
    switch (error, result) {
    case (nil, .success): true
    case (let promised?, .failure(let seen)):
      // Errors are not equatable; their types and texts are.
      type(of: promised) == type(of: seen) && String(reflecting: promised) == String(reflecting: seen)
    default: false
    }
  }
}

extension Scenario {
  /// The error of a request that is refused on purpose.
  package func refusal(
    ofLedgerIndex index: Int, reason: String = "refused", isTransient: Bool = false
  ) -> any Error {
    let subject = index / pattern.requestsPerUpload
    if pattern.looksUp, let detail = PostDetail(rawValue: subject) {
      return LookupFailure(detail: detail, reason: reason)
    }
    return UploadFailure(mediaIndex: subject, reason: reason, isTransient: isTransient)
  }
}
