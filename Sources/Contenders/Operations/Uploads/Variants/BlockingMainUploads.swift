import Dispatch
import Foundation
import Synchronization
import UploadScenario

/// Synchronous operations: less to write than asynchronous ones, and a thread that is blocked for each upload in flight.
struct BlockingMainUploads: PartialContender {
  let name = "operations/blocking-main"
  let summary = "synchronous operations whose main blocks at a semaphore until the answer is there"
  let patterns = [Pattern.publish]
  /// A failure cancels the other operations where it is answered.
  let goesOnInAnswers = true
  /// As many as a pool has threads, which gets another one in a second, are few.
  let mostInFlight: Int? = 6
  private let queue = OperationQueue()

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = post.media.map { WaitingOperation(of: job, $0) }
    return job.run(uploads, on: queue.limited(to: limit)) {
      service.createPost(post, receipts: uploads.compactMap(\.receipt), completion: $0)
    }
  }
}

/// An operation that ends when `main` returns.
///
/// Each blocks one of Dispatch's threads, so without a limit no more are in flight than it has: as many as cores, and on
/// Linux one more a second.
private final class WaitingOperation: Operation, @unchecked Sendable {
  // Invariant: all that is mutable lies behind the lock.
  private struct State {
    var handle: (any Cancellable)?
    var result: Result<Receipt, any Error>?
  }

  private let job: OperationJob
  private let media: Media
  private let state = Mutex(State())

  init(of job: OperationJob, _ media: Media) {
    self.job = job
    self.media = media
  }

  var receipt: Receipt? { state.withLock { try? $0.result?.get() } }

  override func main() {
    guard !isCancelled, job.failure == nil else { return }
    let answered = DispatchSemaphore(value: 0)
    let handle = job.service.upload(media) { result in
      guard self.take(result) else { return }
      if case .failure(let error) = result { self.job.fail(error) }
      answered.signal()
    }
    state.withLock { $0.handle = handle }
    if isCancelled { handle.cancel() }
    answered.wait()
    state.withLock { $0.handle = nil }
  }

  /// Whether this is the first answer.
  private func take(_ result: Result<Receipt, any Error>) -> Bool {
    state.withLock { state in
      guard state.result == nil else { return false }
      state.result = result
      return true
    }
  }

  override func cancel() {
    super.cancel()
    state.withLock { $0.handle }?.cancel()
  }
}
