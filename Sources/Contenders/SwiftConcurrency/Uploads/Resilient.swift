import UploadScenario

extension SwiftConcurrencyUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      try await within(policy.deadline, orThrow: DeadlineExceeded()) {
        let receipts = try await post.media.mapConcurrently { media in
          try await upload(media, to: service, policy: policy)
        }
        return try await service.createPost(post, receipts: receipts)
      }
    }
  }

  private func upload(
    _ media: Media, to service: some UploadService, policy: RetryPolicy
  ) async throws -> Receipt {
    var attempt = 1
    while true {
      do {
        return try await within(policy.attemptDeadline, orThrow: AttemptTimedOut(mediaIndex: media.index)) {
          try await service.upload(media)
        }
      } catch  where attempt < policy.attempts && RetryPolicy.isTransient(error) {
        try await clock.sleep(for: policy.backoff(afterAttempt: attempt, of: media))
        attempt += 1
      }
    }
  }

  /// Races `body` against a child task that sleeps for `limit`. The loser is cancelled and awaited.
  private func within<Value: Sendable>(
    _ limit: Duration?, orThrow timeout: some Error, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let limit else { return try await body() }
    if limit <= .zero { throw timeout }
    return try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body() }
      group.addTask {
        try await clock.sleep(for: limit)
        throw timeout
      }
      return try await group.next()!
    }
  }
}
