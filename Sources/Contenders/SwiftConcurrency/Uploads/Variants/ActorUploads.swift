import UploadScenario

/// The job is an actor that asks for each upload and keeps the receipts, so every answer hops from the pool to the actor.
struct ActorUploads: PartialContender {
  let name = "swift-concurrency/actor"
  let summary = "an actor that asks for the uploads and keeps their receipts"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) { try await PostActor(post, service).publish(limit: limit) }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) { try await PostActor(post, service).sequence() }
  }
}

/// A post that asks for its uploads and keeps their receipts.
actor PostActor<Service: UploadService> {
  private let post: Post
  private let service: Service
  /// Whether a request is made on the actor, and not on the pool.
  private let asksHere: Bool
  private var receipts: [Receipt?]

  init(_ post: Post, _ service: Service, asksHere: Bool = false) {
    self.post = post
    self.service = service
    self.asksHere = asksHere
    receipts = Array(repeating: nil, count: post.media.count)
  }

  func publish(limit: Int?) async throws -> Publication {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for media in post.media {
        if media.index >= limit ?? .max { try await group.next() }
        group.addTask { try await self.upload(media) }
      }
      for try await _ in group {}
    }
    return try await createPost()
  }

  func sequence() async throws -> Publication {
    for media in post.media { try await upload(media) }
    return try await createPost()
  }

  private func upload(_ media: Media) async throws {
    receipts[media.index] =
      asksHere
      ? try await cancellable { service.upload(media, completion: $0) } : try await service.upload(media)
  }

  private func createPost() async throws -> Publication {
    let receipts = receipts.compactMap { $0 }
    return asksHere
      ? try await cancellable { service.createPost(post, receipts: receipts, completion: $0) }
      : try await service.createPost(post, receipts: receipts)
  }
}
