import Coroutines
import Dispatch
import UploadScenario

extension CoroutineUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Not on the pool, whose few threads all coroutines share. Dispatch has as many threads for a class as there are cores, and
    // on Linux adds one a second while they stay blocked; `utility` keeps the threads of timers and other work free.
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
        // A delay of zero would not yield the thread.
        try Coroutine.delay(max(interval, .nanoseconds(1)), on: timer)
        // The delay may have passed before the cancellation.
        try Coroutine.checkCancellation()
        beat()
      }
    } as CoFuture<Void>
  }
}
