import Futures
import UploadScenario

extension FutureUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // The first failure immediately cancels the uploads in flight and calls the completion.
    Future.all(post.media, limit: limit) { service.perform(.upload($0)) }
      .flatMap { service.createPost(post, receipts: $0) }
      .report(to: completion)
  }
}
