import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.all(post.media, limit: limit) { [queue] media in
      DispatchQueue.global(qos: .init(priority)).future { try service.prepare(media) }
        .flatMap { prepared in
          service.issueURL(for: prepared).delivered(on: queue)
            .flatMap { service.upload(prepared, to: $0).delivered(on: queue) }
        }
    }
    .flatMap { [queue] in service.createPost(post, receipts: $0).delivered(on: queue) }
    publication.whenComplete(completion)
    return publication
  }
}
