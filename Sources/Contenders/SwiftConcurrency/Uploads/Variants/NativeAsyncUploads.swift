import UploadScenario

/// A service that is async itself: no callback, no continuation, no object for a request.
///
/// `instant` is; it answers in the caller's task. To any other service there is the bridge that all others have.
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
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addTask { try await service.perform(.upload(media)) }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
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

  func perform(_ request: Request) async throws -> Receipt {
    try Task.checkCancellation()
    return try await cancellable { service.perform(request, completion: $0) }
  }

  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
    try await service.createPost(post, receipts: receipts)
  }
}
