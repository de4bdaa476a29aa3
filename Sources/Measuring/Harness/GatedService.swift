import UploadScenario

/// A service whose media are prepared behind a gate.
struct GatedService<Base: UploadService>: UploadService {
  let base: Base
  let gate: Gate

  func perform(_ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void)
    -> any Cancellable
  {
    base.perform(request, completion: completion)
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    base.createPost(post, receipts: receipts, completion: completion)
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try base.uploadBlocking(media) }

  func prepare(_ media: Media) throws -> PreparedMedia {
    gate.pass()
    return try base.prepare(media)
  }

  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }
}
