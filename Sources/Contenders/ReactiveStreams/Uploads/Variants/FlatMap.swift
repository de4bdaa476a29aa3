import ReactiveStreams
import UploadScenario

/// Receipts as they arrive, each with its place, and sorted at the end.
struct FlatMap: PartialContender {
  let name = "reactive-streams/flat-map"
  let summary = "reactive streams: flatMap in the order of arrival, sorted at the end"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .flatMap(maxPublishers: limit.map { .max($0) } ?? .unlimited) { service.upload($0) }
      .collect()
      .map { $0.sorted { $0.mediaIndex < $1.mediaIndex } }
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
