import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    Coroutine.start {
      completion(
        Result {
          let receipts = try CoScope.run(limit: limit) { scope in
            let uploads = try post.media.map { media in try scope.async { try service.upload(media) } }
            return try uploads.map { try $0.await() }
          }
          return try service.createPost(post, receipts: receipts)
        })
    }
  }
}
