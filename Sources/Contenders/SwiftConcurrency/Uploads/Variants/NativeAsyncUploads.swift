import UploadScenario

/// Uploads to a service with async functions, without completions, continuations and handles. Only the service `instant` has such
/// functions, so other services are awaited as in the contender `swift-concurrency`.
struct NativeAsyncUploads: PartialContender {
  let name = "swift-concurrency/native-async"
  let summary =
    "a throwing task group, and a service that answers in the caller's task (if it is the instant one)"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let service = awaitable(service)
    return start(completion) {
      let receipts = try await post.media.mapConcurrently(limit: limit) { media in
        try await service.perform(.upload(media))
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let service = awaitable(service)
    return start(completion) {
      var receipts: [Receipt] = []
      for media in post.media { receipts.append(try await service.perform(.upload(media))) }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  private func awaitable(_ service: some UploadService) -> any AsyncUploadService {
    service as? any AsyncUploadService ?? Bridge(service: service)
  }
}

private struct Bridge<Service: UploadService>: AsyncUploadService {
  let service: Service

  func perform(_ request: Request) async throws -> Receipt { try await service.perform(request) }

  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
    try await service.createPost(post, receipts: receipts)
  }
}
