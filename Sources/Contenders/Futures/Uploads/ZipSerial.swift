import Futures
import UploadScenario

extension FutureUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = service.author(of: post).flatMap { author in
      service.place(of: post).flatMap { place in
        service.audience(of: post).flatMap { audience in
          service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
        }
      }
    }
    publication.whenComplete(completion)
    return publication
  }
}
