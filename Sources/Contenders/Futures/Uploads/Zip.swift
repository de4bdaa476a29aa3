import Futures
import UploadScenario

extension FutureUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.zip(
      service.author(of: post), service.place(of: post), service.audience(of: post)
    )
    .flatMap { service.createPost(post, details: PostDetails(author: $0, place: $1, audience: $2)) }
    publication.whenComplete(completion)
    return publication
  }
}
