import Coroutines
import UploadScenario

/// The task group on the threads that coroutines run on.
struct CoroutinePoolExecutorUploads: PartialContender {
  let name = "swift-concurrency/coroutine-pool-executor"
  let summary = "a throwing task group, on this package's CoroutinePool as the task executor"
  let patterns = [Pattern.publish, .sequence, .zip]

  // Made for each post, so that nobody has the pool's threads who does not ask for them.
  private var uploads: SwiftConcurrencyUploads {
    var uploads = SwiftConcurrencyUploads()
    uploads.executor = CoroutinePool.shared
    return uploads
  }

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    uploads.publish(post, to: service, limit: limit, completion: completion)
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    uploads.sequence(post, to: service, completion: completion)
  }

  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable
  {
    uploads.zip(post, on: service, completion: completion)
  }
}
