import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post).receive(on: queue)
      .flatMap { [queue] author in service.place(of: post).receive(on: queue).map { (author, $0) } }
      .flatMap { [queue] author, place in
        service.audience(of: post).receive(on: queue).map {
          PostDetails(author: author, place: place, audience: $0)
        }
      }
      .flatMap { [queue] in service.createPost(post, details: $0).receive(on: queue) }
      .subscribe(receiveResult: completion)
  }
}
