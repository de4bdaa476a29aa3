import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    // Libraries of futures have no bounded queue between two loops. A small one, and two recursions: one reads, several upload.
    let chunks = ChunkQueue(places: max(1, buffer))
    let publication = Future.zip(
      DispatchQueue.global().future { try service.chunks(of: media) }.flatMap(chunks.fill),
      Future.all(0..<uploaders) { [queue] _ in chunks.drain { service.upload($0).delivered(on: queue) } }
    )
    .flatMap { [queue] _, _ in service.createPost(post, receipts: chunks.receipts).delivered(on: queue) }
    publication.whenComplete(completion)
    return publication
  }
}
