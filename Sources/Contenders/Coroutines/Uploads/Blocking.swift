import Coroutines
import Dispatch
import UploadScenario

extension CoroutineUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Blocking calls run on Dispatch's `utility` threads, to keep the coroutine pool and the threads of timers free.
    let queue: any CoroutineScheduler = scheduler ?? DispatchQueue.global(qos: .utility)
    return start(on: pool, completion) { [pool] in
      let receipts = try CoGroup.run(on: pool, limit: limit) { group in
        try group.map(post.media) { media in
          try queue.await { try service.uploadBlocking(media) }
        }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Coroutine.start(on: pool) { [timer] in
      while true {
        // The delay must not be zero, because a delay of zero does not suspend the coroutine.
        try Coroutine.delay(max(interval, .nanoseconds(1)), on: timer)
        // A delay that ends just before the cancellation throws no error, so the next line checks for a cancellation.
        try Coroutine.checkCancellation()
        beat()
      }
    } as CoFuture<Void>
  }
}
