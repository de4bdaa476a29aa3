import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMap { service.perform(.upload($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
