import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // `concatMapEager` is like `flatMap`, but keeps the order. The first failure does not wait for earlier values: it
    // immediately cancels the uploads in flight and calls the completion, and no upload or post starts after it.
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { service.perform(.upload($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
