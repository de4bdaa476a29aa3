import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    Future.all(post.media, limit: limit) { media in
      DispatchQueue.global(qos: .init(priority)).future { try service.prepare(media) }
        .flatMap { prepared in
          service.issueURL(for: prepared).flatMap { service.perform(.uploadTo($0, prepared)) }
        }
    }
    .flatMap { service.createPost(post, receipts: $0) }
    .report(to: completion)
  }
}
