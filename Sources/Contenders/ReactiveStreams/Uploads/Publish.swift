import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // `concatMapEager` is a `flatMap` that keeps the order. The first failure immediately cancels the uploads in flight and
    // calls the completion, without waiting for earlier values.
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { service.perform(.upload($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
