import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // concatMapEager is the flatMap that keeps order; with collect it is what Rx users write for "all of these".
    post.media.publisher
      .concatMapEager(maxPublishers: limit.map { .max($0) } ?? .unlimited) { [queue] in
        service.upload($0).receive(on: queue)
      }
      .collect()
      .flatMap { [queue] in service.createPost(post, receipts: $0).receive(on: queue) }
      .subscribe(receiveResult: completion)
  }
}
