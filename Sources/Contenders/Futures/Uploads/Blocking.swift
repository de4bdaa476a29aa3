import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Dispatch has few threads for each QoS class. The class `utility` leaves those of timers and other work free.
    Future.all(post.media, limit: limit) { media in
      DispatchQueue.global(qos: .utility).future { try service.uploadBlocking(media) }
    }
    .flatMap { service.createPost(post, receipts: $0) }
    .report(to: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    // The queue is serial, so the next beat waits until the future that the previous beat returned can be cancelled.
    let queue = DispatchQueue(label: "heartbeat", target: .global())
    @Sendable func beats() -> Future<Void> {
      Future.after(interval, value: ()).flatMap(on: queue) {
        beat()
        return beats()
      }
    }
    return beats()
  }
}
