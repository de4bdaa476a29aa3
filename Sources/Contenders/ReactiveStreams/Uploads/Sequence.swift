import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMap { [queue] in service.upload($0).receive(on: queue) }
      .collect()
      .flatMap { [queue] in service.createPost(post, receipts: $0).receive(on: queue) }
      .subscribe(receiveResult: completion)
  }
}
