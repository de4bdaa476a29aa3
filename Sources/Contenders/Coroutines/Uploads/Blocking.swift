import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Not on the pool: whoever blocks one of its few threads stops the coroutines that wait for it. The queue has as many
    // threads as there are cores, and on Linux one more a second for as long as they stay blocked.
    start(on: pool, completion) { [pool, blockingQueue] in
      let receipts = try CoScope.run(on: pool, limit: limit) { scope in
        try scope.map(post.media) { media in
          try Coroutine.await(on: blockingQueue) { try service.uploadBlocking(media) }
        }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Coroutine.start(on: pool) { [timer] in
      while true {
        // Never without a wait, in which others have the thread.
        try Coroutine.delay(max(interval, .nanoseconds(1)), on: timer)
        // Time may have been up first, and this cancelled before its turn came.
        try Coroutine.checkCancellation()
        beat()
      }
    } as CoFuture<Void>
  }
}
