import Foundation
import Synchronization
import UploadServices

/// One exchange as the session's queue sees it: what came so far, and who is told the end.
final class Transfer: @unchecked Sendable {
  // Invariant: after init only the session's serial queue touches the two variables; the rest are constants and an atomic.
  private var byteCount = 0
  /// Why the rest of it was refused; it says more than the cancellation that follows.
  private(set) var refusal: HTTPFailure?
  private let isCancelled = Atomic<Bool>(false)
  private let mostBytes: Int
  private let receive: @Sendable (Data) -> Void
  private let completion: @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void

  init(
    mostBytes: Int, receive: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void
  ) {
    self.mostBytes = mostBytes
    self.receive = receive
    self.completion = completion
  }

  /// Takes in a piece of the answer's body; false, once: this is too much. What comes after it is dropped.
  func take(_ data: Data) -> Bool {
    guard refusal == nil else { return true }
    byteCount += data.count
    guard byteCount <= mostBytes else {
      refuse(.tooLong(reason: "more than \(mostBytes) bytes"))
      return false
    }
    receive(data)
    return true
  }

  func refuse(_ failure: HTTPFailure) { refusal = refusal ?? failure }

  /// Somebody wants no more of it, from any thread.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// What was cancelled and came to nothing was cancelled, whatever it says that it failed of: its connection may have been
  /// ended for it.
  func end(with result: Result<HTTPAnswer, HTTPFailure>) {
    if let refusal {
      completion(.failure(refusal))
    } else if case .failure = result, isCancelled.load(ordering: .relaxed) {
      completion(.failure(.cancelled))
    } else {
      completion(result)
    }
  }
}
