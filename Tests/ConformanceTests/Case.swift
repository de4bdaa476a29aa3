import ContenderRegistry
import RawThreads
import Synchronization
import Testing
import UploadScenario

/// Every promise of the contenders' contract. One test at a time: some start 100 000 uploads, and beside those the
/// others could miss their deadlines without being wrong.
@Suite(.serialized) enum Conformance {}

/// One contender with one pattern.
struct Case: Sendable, CustomTestStringConvertible {
  let contender: any Contender
  let pattern: Pattern
  let limit: Int?

  static let all = uploads + lookups

  static let lookups = contenders.flatMap { contender in
    [Pattern.zip, .zipSerial].map { Case(contender: contender, pattern: $0, limit: nil) }
  }

  static let uploads = contenders.flatMap { contender in
    [
      Case(contender: contender, pattern: .publish, limit: nil),
      Case(contender: contender, pattern: .publish, limit: 1),
      Case(contender: contender, pattern: .publish, limit: 3),
      Case(contender: contender, pattern: .sequence, limit: nil),
    ]
  }

  var testDescription: String {
    "\(contender.name) \(pattern.rawValue)\(limit.map { ", \($0) in flight" } ?? "")"
  }

  func scenario(fanOut: Int, faults: Faults = Faults()) -> Scenario {
    Scenario(name: testDescription, pattern: pattern, photos: fanOut, limit: limit, faults: faults)
  }

  func post(fanOut: Int) -> Post {
    .synthetic(photos: fanOut, videos: 0, payloadBytes: 64, seed: UInt64(fanOut) + 1)
  }

  /// How many requests there are before the post: one a media, or one a detail.
  func requests(_ fanOut: Int) -> Int { scenario(fanOut: fanOut).fanOut }

  /// What the job reports when all went well.
  func publication(of post: Post) -> Publication {
    Publication(postID: post.id, receipts: !pattern.looksUp ? post.media.map(\.expectedReceipt) : [])
  }

  /// The most requests that may be in flight, which is also how many must be while so many are left.
  func width(_ fanOut: Int) -> Int { pattern.isSerial ? 1 : min(limit ?? fanOut, fanOut) }

  /// Why this promise is not kept, if that is known.
  func reasonToBreak(_ promise: BrokenPromise.Promise) -> Comment? {
    brokenPromises.first { $0.contender == contender.name && $0.promise == promise }
      .map { Comment(rawValue: $0.reason) }
  }

  func start(_ post: Post, _ service: some UploadService, _ outcome: Outcome) -> any Cancellable {
    contender.start(scenario(fanOut: post.media.count), post: post, service: service) { outcome.add($0) }
  }
}

/// What a completion was called with, every time it was called.
final class Outcome: Sendable {
  private let results = Mutex<[Result<Publication, any Error>]>([])

  func add(_ result: Result<Publication, any Error>) { results.withLock { $0.append(result) } }

  var all: [Result<Publication, any Error>] { results.withLock { $0 } }
  var count: Int { results.withLock { $0.count } }
  var publication: Publication? { try? all.first?.get() }
  var failure: UploadFailure? { error as? UploadFailure }
  var isCancellation: Bool { error is CancellationError }

  private var error: (any Error)? {
    if case .failure(let error) = all.first { error } else { nil }
  }
}

/// Waits until `condition` holds and records an issue if it never does: a contender that hangs fails its test.
@discardableResult
func eventually(
  _ what: Comment, withinNanoseconds patience: UInt64 = 20_000_000_000,
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async -> Bool {
  let deadline = MonotonicClock.nanoseconds() + patience
  while !condition() {
    guard MonotonicClock.nanoseconds() < deadline else {
      Issue.record(what, sourceLocation: sourceLocation)
      return false
    }
    // Lets go of the thread: the test must not hold one of the pool's that a contender may need.
    try? await Task.sleep(for: .microseconds(200))
  }
  return true
}
