import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let publication = DispatchQueue.global().future { try service.chunks(of: media) }
      .flatMap { chunks in
        Future.all(pulling: chunks.next, on: .global(), buffer: buffer, limit: uploaders) {
          service.upload($0)
        }
      }
      .flatMap { service.createPost(post, receipts: $0) }
    publication.whenComplete(completion)
    return publication
  }
}
