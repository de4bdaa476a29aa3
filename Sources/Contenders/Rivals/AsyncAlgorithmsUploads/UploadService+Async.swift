#if AsyncAlgorithms
  import Synchronization
  import UploadScenario

  extension UploadService {
    func upload(_ media: Media) async throws -> Receipt {
      try await cancellable { upload(media, completion: $0) }
    }

    func author(of post: Post) async throws -> Author {
      try await cancellable { author(of: post, completion: $0) }
    }

    func place(of post: Post) async throws -> Place {
      try await cancellable { place(of: post, completion: $0) }
    }

    func audience(of post: Post) async throws -> Audience {
      try await cancellable { audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, details: PostDetails) async throws -> Publication {
      try await cancellable { createPost(post, details: details, completion: $0) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
      try await cancellable { createPost(post, receipts: receipts, completion: $0) }
    }
  }

  /// Awaits a callback, and cancels what leads to it if the task is cancelled.
  private func cancellable<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable
  ) async throws -> Value {
    let request = Mutex<(handle: (any Cancellable)?, isCancelled: Bool)>((nil, false))
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        let handle = start { continuation.resume(with: $0) }
        let isCancelled = request.withLock { request in
          request.handle = handle
          return request.isCancelled
        }
        if isCancelled { handle.cancel() }
      }
    } onCancel: {
      let handle = request.withLock { request in
        request.isCancelled = true
        return request.handle
      }
      handle?.cancel()
    }
  }
#endif
