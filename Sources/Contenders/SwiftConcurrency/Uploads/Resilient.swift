import UploadScenario

extension SwiftConcurrencyUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      try await within(policy.deadline, clock, orThrow: DeadlineExceeded()) {
        let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
          for media in post.media {
            group.addTask { try await upload(media, to: service, policy: policy, clock) }
          }
          var receipts = [Receipt?](repeating: nil, count: post.media.count)
          for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
          return receipts.compactMap { $0 }
        }
        return try await service.createPost(post, receipts: receipts)
      }
    }
  }
}

private func upload(
  _ media: Media, to service: some UploadService, policy: RetryPolicy, _ clock: any Clock<Duration>
) async throws -> Receipt {
  var attempt = 1
  while true {
    do {
      return try await within(
        policy.attemptDeadline, clock, orThrow: AttemptTimedOut(mediaIndex: media.index)
      ) {
        try await service.upload(media)
      }
    } catch  where attempt < policy.attempts && RetryPolicy.isTransient(error) {
      try await clock.sleep(for: policy.backoff(afterAttempt: attempt, of: media))
      attempt += 1
    }
  }
}

/// A race between the body and a task that sleeps, which costs two tasks; the one that loses is cancelled and waited for.
private func within<Value: Sendable>(
  _ limit: Duration?, _ clock: any Clock<Duration>, orThrow timeout: some Error,
  _ body: @escaping @Sendable () async throws -> Value
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
