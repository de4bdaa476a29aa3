import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post)
      .zip(service.place(of: post), service.audience(of: post))
      .flatMap { service.createPost(post, details: PostDetails(author: $0, place: $1, audience: $2)) }
      .subscribe(receiveResult: completion)
  }
}
