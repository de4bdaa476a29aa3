import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post).receive(on: queue)
      .zip(service.place(of: post).receive(on: queue), service.audience(of: post).receive(on: queue))
      .flatMap { [queue] author, place, audience in
        service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
          .receive(on: queue)
      }
      .subscribe(receiveResult: completion)
  }
}
