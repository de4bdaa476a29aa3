import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // `concatMapEager` is like `flatMap`, but keeps the order. The first failure does not wait for earlier values: it cancels
    // the uploads in flight, starts no more, creates no post and goes to the completion at once.
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { service.perform(.upload($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
