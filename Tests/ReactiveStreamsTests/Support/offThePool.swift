import Dispatch

/// Runs work that blocks its thread until tasks make progress, off the threads of tests and tasks; one at a time.
func offThePool<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    blockingChecks.async { continuation.resume(returning: body()) }
  }
}

private let blockingChecks = DispatchQueue(label: "blocking checks")
