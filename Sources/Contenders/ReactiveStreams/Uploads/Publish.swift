import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // concatMapEager is the flatMap that keeps order; with collect it is what Rx users write for "all of these". The first
    // failure cancels the other uploads, and is the result.
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { service.perform(.upload($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
