import RawThreads
import TestSupport
import Testing
import UploadScenario
import UploadServices

typealias Answers<Value: Sendable> = Log<Result<Value, any Error>>

func upload(_ media: [Media], to service: some UploadService) -> Answers<Receipt> {
  let answers = Answers<Receipt>()
  for media in media { _ = service.upload(media) { answers.append($0) } }
  return answers
}

/// Cancels the second upload while the first one's completion holds the service's thread.
func expectCancellation(of post: Post, from service: some UploadService, _ ledger: Ledger) {
  let (answers, gate, entered) = (Answers<Receipt>(), Parker(), Parker())
  _ = service.upload(post.media[0]) { _ in
    entered.unpark()
    gate.park()
  }
  entered.park()
  service.upload(post.media[1]) { answers.append($0) }.cancel()
  gate.unpark()
  #expect(answers.wait(for: 1).map(\.isCancellation) == [true])
  #expect(ledger.record().requests[1] == .init(started: 1, cancelled: 1))
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
