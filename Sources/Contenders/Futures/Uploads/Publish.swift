import Futures
import UploadScenario

extension FutureUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.all(post.media, limit: limit) { service.upload($0) }
      .flatMap { service.createPost(post, receipts: $0) }
    publication.whenComplete(completion)
    return publication
  }
}
