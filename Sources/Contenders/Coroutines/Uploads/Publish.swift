import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) { [scheduler] in
      // After the first error, no upload starts and those in flight are cancelled. When all have ended, `run` throws the error.
      let receipts = try CoGroup.run(on: scheduler, limit: limit) { group in
        try group.map(post.media) { try service.perform(.upload($0)) }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
