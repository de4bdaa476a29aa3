import UploadScenario

/// Three `async let`s, awaited in order. A failure of the second would be noticed only after the result of the first, so a stream
/// passes the first failure to a second task.
struct AsyncLetUploads: PartialContender {
  let name = "swift-concurrency/async-let"
  let summary = "three async lets, and a task that ends with the first failure"
  let patterns = [Pattern.zip]

  func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let (failures, failing) = AsyncThrowingStream<PostDetails, any Error>.makeStream()
      let details = try await withThrowingTaskGroup(of: PostDetails?.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          async let author = lookUp(failing) { service.author(of: post, completion: $0) }
          async let place = lookUp(failing) { service.place(of: post, completion: $0) }
          async let audience = lookUp(failing) { service.audience(of: post, completion: $0) }
          return try await PostDetails(author: author, place: place, audience: audience)
        }
        group.addTask { try await failures.first { _ in true } }
        return try await group.next()!
      }
      // The stream of failures ends without an error only if the task is cancelled.
      guard let details else { throw CancellationError() }
      return try await answer { service.createPost(post, details: details, completion: $0) }
    }
  }
}

private func lookUp<Value: Sendable>(
  _ failing: AsyncThrowingStream<PostDetails, any Error>.Continuation,
  _ start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  do { return try await answer(to: start) } catch {
    failing.finish(throwing: error)
    throw error
  }
}
