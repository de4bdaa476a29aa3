import RawThreads
import TestSupport
import UploadScenario
import UploadServices

typealias Answers<Value: Sendable> = Log<Result<Value, any Error>>

func upload(_ media: [Media], to service: some UploadService) -> Answers<Receipt> {
  let answers = Answers<Receipt>()
  for media in media { _ = service.upload(media) { answers.append($0) } }
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

func makeService(
  for scenario: Scenario, post: Post, ledger: Ledger, storeSubdirectory: String? = nil
) throws -> any UploadService {
  try makeServices(for: scenario, post: post, ledgers: [ledger], storeSubdirectory: storeSubdirectory)[0]
}
