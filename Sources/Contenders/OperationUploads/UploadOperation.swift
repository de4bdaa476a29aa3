import Foundation
import Synchronization
import UploadScenario

/// One upload.
final class UploadOperation<Service: UploadService>: AsynchronousOperation, @unchecked Sendable {
  private enum State {
    case waiting
    case uploading(any Cancellable)
    case ended(Receipt?)
  }

  private let media: Media
  private let job: UploadJob<Service>
  private let state = Mutex(State.waiting)

  init(_ media: Media, of job: UploadJob<Service>) {
    self.media = media
    self.job = job
  }

  /// The receipt, once the upload has arrived.
  var receipt: Receipt? {
    state.withLock { if case .ended(let receipt) = $0 { receipt } else { nil } }
  }

  override func main() {
    // The queue cancels from front to back: a place that the first one frees may start one it has not reached.
    guard !isCancelled, job.failure == nil else { return finish() }
    let handle = job.service.upload(media) { result in
      if case .failure(let error) = result { self.job.fail(error) }
      self.state.withLock { $0 = .ended(try? result.get()) }
      self.finish()
    }
    state.withLock { if case .waiting = $0 { $0 = .uploading(handle) } }
    if isCancelled { handle.cancel() }
  }

  override func cancel() {
    super.cancel()
    if case .uploading(let handle) = state.withLock({ $0 }) { handle.cancel() }
  }
}
