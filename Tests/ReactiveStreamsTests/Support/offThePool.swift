import Dispatch

/// Runs what blocks its thread until tasks get on, which share the threads that tests run on; one at a time.
func offThePool<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    blockingChecks.async { continuation.resume(returning: body()) }
  }
}

private let blockingChecks = DispatchQueue(label: "blocking checks")
