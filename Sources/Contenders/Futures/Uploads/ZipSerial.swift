import Futures
import UploadScenario

extension FutureUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post)
      .flatMap { author in
        service.place(of: post).flatMap { place in
          service.audience(of: post).map { PostDetails(author: author, place: place, audience: $0) }
        }
      }
      .flatMap { service.createPost(post, details: $0) }
      .report(to: completion)
  }
}
