import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) {
      let receipts = try post.media.map { try service.perform(.upload($0)) }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
