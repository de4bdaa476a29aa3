import Futures
import UploadScenario

extension FutureUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.zip(
      service.author(of: post).delivered(on: queue), service.place(of: post).delivered(on: queue),
      service.audience(of: post).delivered(on: queue)
    )
    .flatMap { [queue] author, place, audience in
      service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
        .delivered(on: queue)
    }
    publication.whenComplete(completion)
    return publication
  }
}
