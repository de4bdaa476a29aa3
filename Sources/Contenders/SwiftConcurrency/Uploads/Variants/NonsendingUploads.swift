import UploadScenario

/// The same actor as in `swift-concurrency/actor`, but asking for an upload stays on it: no hop to the pool and back.
struct NonsendingUploads: PartialContender {
  let name = "swift-concurrency/nonisolated-nonsending"
  let summary = "an actor whose requests are nonisolated(nonsending): they run on the actor"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) { try await Job(post, service).publish(limit: limit) }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) { try await Job(post, service).sequence() }
  }
}

private actor Job<Service: UploadService> {
  private let post: Post
  private let service: Service
  private var receipts: [Receipt?]

  init(_ post: Post, _ service: Service) {
    self.post = post
    self.service = service
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
    receipts[media.index] = try await cancellableHere { service.upload(media, completion: $0) }
  }

  private func createPost() async throws -> Publication {
    try await cancellableHere {
      service.createPost(post, receipts: receipts.compactMap { $0 }, completion: $0)
    }
  }
}

/// As `cancellable`, on the caller's actor.
nonisolated(nonsending) private func cancellableHere<Value: Sendable>(
  _ start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  let request = CancellableRequest()
  return try await withTaskCancellationHandler {
    try Task.checkCancellation()
    do {
      return try await withCheckedThrowingContinuation { continuation in
        request.started(start { if request.isAnsweredFirst() { continuation.resume(with: $0) } })
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  } onCancel: {
    request.cancel()
  }
}
