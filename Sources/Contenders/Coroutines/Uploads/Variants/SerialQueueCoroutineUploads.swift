import Coroutines
import Dispatch
import UploadScenario

/// All coroutines on one serial queue, as an application has them on its main queue.
struct SerialQueueCoroutineUploads: PartialContender {
  let name = "coroutines/serial-queue"
  let summary = "coroutines that all run on one serial queue, like an application's main queue"
  let patterns = [Pattern.publish]
  private let queue = DispatchQueue(label: "uploads")

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: queue, completion) { [queue] in
      let receipts = try CoScope.run(on: queue, limit: limit) { scope in
        try scope.map(post.media) { try service.upload($0) }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
