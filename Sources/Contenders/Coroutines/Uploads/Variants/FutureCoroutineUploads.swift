import Coroutines
import UploadScenario

/// A coroutine for each media file, whose futures are awaited in order.
struct FutureCoroutineUploads: PartialContender {
  let name = "coroutines/futures"
  let summary = "a coroutine per upload, each with a future, awaited in order"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      // The scope ends the await, whichever upload fails.
      let receipts = try CoScope.run(limit: limit) { scope in
        let uploads = try post.media.map { media in try scope.async { try service.upload(media) } }
        return try uploads.map { try $0.await() }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
