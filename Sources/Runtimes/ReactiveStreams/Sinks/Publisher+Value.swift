extension Publisher where Failure == any Error {
  /// The first value; throws the failure, `EmptyStreamError` when there is none, and `CancellationError` when the
  /// task is cancelled, which cancels the stream.
  public var value: Output {
    get async throws {
      let canceller = SubscriptionSlot()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let sink = subscribe { continuation.resume(with: $0) }
          _ = canceller.keep(sink)
        }
      } onCancel: {
        canceller.cancel()
      }
    }
  }
}

extension Publisher where Failure == Never {
  /// The first value. See `value` of a publisher that fails.
  public var value: Output {
    get async throws { try await setFailureType(to: (any Error).self).value }
  }
}
