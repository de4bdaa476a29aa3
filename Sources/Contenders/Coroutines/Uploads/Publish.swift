import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) { [scheduler] in
      // The first error cancels the uploads in flight and starts no more. `run` throws it when all uploads have ended.
      let receipts = try CoGroup.run(on: scheduler, limit: limit) { group in
        try group.map(post.media) { try service.perform(.upload($0)) }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
