import UploadScenario

/// A service that answers when the script says so; what it sees goes to the stage, and its own end, too.
final class ScriptedService: UploadService {
  private let stage: Stage

  init(_ stage: Stage) { self.stage = stage }

  deinit { stage.serviceWasReleased() }

  func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    stage.accept(.request(request, completion))
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    stage.accept(.post(post, receipts, completion))
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try stage.block(media) }

  func prepare(_ media: Media) throws -> PreparedMedia { try stage.prepare(media) }

  func chunks(of media: Media) throws -> ChunkReader {
    try ChunkReader(media, chunkBytes: stage.scenario.chunkBytes, ledger: stage)
  }
}

/// Captured by completions and beats: when it is gone, so are they.
final class Token: Sendable {
  private let stage: Stage

  init(_ stage: Stage) { self.stage = stage }

  deinit { stage.tokenWasReleased() }
}
