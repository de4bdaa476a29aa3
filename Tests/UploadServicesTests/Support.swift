import Foundation
import RawThreads
import Synchronization
import UploadScenario
import UploadServices

/// The results of completions, in order; waiting has a deadline.
final class Answers<Value: Sendable>: Sendable {
  private let results = Mutex<[Result<Value, any Error>]>([])
  private let changed = Parker()

  func add(_ result: Result<Value, any Error>) {
    results.withLock { $0.append(result) }
    changed.unpark()
  }

  /// The first `count` answers, or fewer if they do not come within 20 s.
  func first(_ count: Int) -> [Result<Value, any Error>] {
    let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
    while results.withLock({ $0.count }) < count, changed.park(untilNanoseconds: deadline) {}
    return results.withLock { $0 }
  }
}

/// The answers to uploads that are made one after another.
func upload(_ media: [Media], to service: some UploadService) -> Answers<Receipt> {
  let answers = Answers<Receipt>()
  for media in media { _ = service.upload(media) { answers.add($0) } }
  return answers
}

extension Result where Success == Receipt, Failure == any Error {
  /// The index of an upload that arrived.
  var arrived: Int? { (try? get())?.mediaIndex }
  var isCancellation: Bool { if case .failure(is CancellationError) = self { true } else { false } }
  var failure: UploadFailure? { if case .failure(let error as UploadFailure) = self { error } else { nil } }
}

func testPost(_ fanOut: Int, payloadBytes: Int = 100) -> Post {
  .synthetic(photos: fanOut, videos: 0, payloadBytes: payloadBytes, seed: 11)
}

func testLedger(_ fanOut: Int) -> Ledger { Ledger(requestCount: fanOut) { MonotonicClock.nanoseconds() } }

final class Token: Sendable {}

/// A folder that lasts as long as the body.
func inFolder(_ body: (String) throws -> Void) throws {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: path) }
  try body(path)
}

/// The scenario's service for one ledger.
func makeService(
  for scenario: Scenario, post: Post, ledger: Ledger, storeSubdirectory: String? = nil
) throws -> any UploadService {
  try makeServices(for: scenario, post: post, ledgers: [ledger], storeSubdirectory: storeSubdirectory)[0]
}
