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
            try scope.map(post.media) { try service.upload($0) }
          }
          return try service.createPost(post, receipts: receipts)
        })
    }
  }
}
