import Dispatch
import UploadScenario

/// A thread that starts the uploads of one post, and blocks at a semaphore until there is a place.
final class Feeder: Cancellable {
  let job: GroupJob<Receipts>
  // It begins at 0: Dispatch takes one that ends below its first value for one that is still in use.
  private let places = DispatchSemaphore(value: 0)

  init(_ post: Post, service: some UploadService, limit: Int?, completion: @escaping Completion) {
    // What the service answers is handled on its own thread: enough of Dispatch's are blocked.
    job = GroupJob(post, service: service, on: nil, completion: completion)
    for _ in 0..<min(limit ?? .max, post.media.count) { places.signal() }
  }

  func cancel() {
    job.cancel()
    places.signal()
  }

  /// Starts every upload as soon as there is a place; blocks the calling thread meanwhile.
  func feed() {
    for media in job.post.media {
      places.wait()
      if job.hasFailed { return }
      job.request({ job.service.upload(media, completion: $0) }) { receipt in
        self.job.change { _ = $0.keep(receipt, at: media.index) }
        self.places.signal()
      } orElse: { error in
        self.job.fail(error)
        self.places.signal()
      }
    }
  }
}
