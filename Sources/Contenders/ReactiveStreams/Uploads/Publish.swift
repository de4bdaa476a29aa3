import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // concatMapEager is the flatMap that keeps order. The first failure overtakes: it cancels the uploads in flight, starts no
    // more and skips the post; the completion gets it at once.
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { service.perform(.upload($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
