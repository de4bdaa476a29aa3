import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMapEager(maxPublishers: limit.map { .max($0) } ?? .unlimited) { [queue] media in
        Just(media)
          .receive(on: DispatchQueue.global(qos: .init(priority)))
          .tryMap { try service.prepare($0) }
          .flatMap { prepared in
            service.issueURL(for: prepared).receive(on: queue)
              .flatMap { service.upload(prepared, to: $0).receive(on: queue) }
          }
      }
      .collect()
      .flatMap { [queue] in service.createPost(post, receipts: $0).receive(on: queue) }
      .subscribe(receiveResult: completion)
  }
}
