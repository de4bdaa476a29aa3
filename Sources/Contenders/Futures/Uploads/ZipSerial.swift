import Futures
import UploadScenario

extension FutureUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = service.author(of: post).delivered(on: queue).flatMap { [queue] author in
      service.place(of: post).delivered(on: queue).flatMap { place in
        service.audience(of: post).delivered(on: queue).flatMap { audience in
          service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
            .delivered(on: queue)
        }
      }
    }
    publication.whenComplete(completion)
    return publication
  }
}
