import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) { [scheduler] in
      // The first upload that throws cancels the others, and the scope throws its error.
      let receipts = try CoScope.run(on: scheduler, limit: limit) { scope in
        try scope.map(post.media) { try service.perform(.upload($0)) }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
