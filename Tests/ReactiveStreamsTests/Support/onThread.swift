import Foundation

/// Runs a body that blocks on a thread of its own, so that the tasks it waits for have the pool's threads.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
