import Futures
import UploadScenario

extension FutureUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    Future.all(post.media, limit: 1) { service.perform(.upload($0)) }
      .flatMap { service.createPost(post, receipts: $0) }
      .report(to: completion)
  }
}
