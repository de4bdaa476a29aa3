import Futures
import UploadScenario

extension FutureUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.all(post.media, limit: 1) { [queue] in service.upload($0).delivered(on: queue) }
      .flatMap { [queue] in service.createPost(post, receipts: $0).delivered(on: queue) }
    publication.whenComplete(completion)
    return publication
  }
}
