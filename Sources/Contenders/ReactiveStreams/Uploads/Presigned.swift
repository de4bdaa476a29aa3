import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { media in
        Just(media)
          .receive(on: DispatchQueue.global(qos: .init(priority)))
          .tryMap { try service.prepare($0) }
          .flatMap { prepared in
            service.issueURL(for: prepared).flatMap { service.perform(.uploadTo($0, prepared)) }
          }
      }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
