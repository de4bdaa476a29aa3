import UploadScenario

/// The lookups as three `async let`s.
struct AsyncLetUploads: PartialContender {
  let name = "swift-concurrency/async-let"
  let summary = "three async lets, and a task that ends with the first failure"
  let patterns = [Pattern.zip]

  func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let (failures, failed) = AsyncThrowingStream<Never, any Error>.makeStream()
      let details = try await withThrowingTaskGroup(of: PostDetails?.self) { group in
        group.addTask {
          async let author = reporting(to: failed) { try await service.author(of: post) }
          async let place = reporting(to: failed) { try await service.place(of: post) }
          async let audience = reporting(to: failed) { try await service.audience(of: post) }
          return try await PostDetails(author: author, place: place, audience: audience)
        }
        // The awaits above come in order: alone they would wait for the author before they noticed that the place has
        // failed. It costs a task and a stream.
        group.addTask {
          for try await _ in failures {}
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next()!
      }
      guard let details else { throw CancellationError() }
      return try await service.createPost(post, details: details)
    }
  }
}

private func reporting<Value: Sendable>(
  to failed: AsyncThrowingStream<Never, any Error>.Continuation, _ lookUp: () async throws -> Value
) async throws -> Value {
  do { return try await lookUp() } catch {
    failed.finish(throwing: error)
    throw error
  }
}
