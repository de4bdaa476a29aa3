import Futures
import UploadScenario

extension FutureUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    Future.zip(service.author(of: post), service.place(of: post), service.audience(of: post))
      .flatMap { author, place, audience in
        service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
      }
      .report(to: completion)
  }
}
