import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post).zip(service.place(of: post), service.audience(of: post))
      .flatMap { author, place, audience in
        service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
      }
      .subscribe(receiveResult: completion)
  }
}
