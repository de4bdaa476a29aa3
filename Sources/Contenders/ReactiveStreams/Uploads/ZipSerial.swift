import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post)
      .flatMap { author in service.place(of: post).map { (author, $0) } }
      .flatMap { author, place in
        service.audience(of: post).map { PostDetails(author: author, place: place, audience: $0) }
      }
      .flatMap { service.createPost(post, details: $0) }
      .subscribe(receiveResult: completion)
  }
}
