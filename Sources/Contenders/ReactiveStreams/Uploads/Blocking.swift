import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Dispatch has few threads for each QoS class. The class `utility` leaves those of timers and other work free.
    post.media.publisher
      .concatMapEager(maxPublishers: .atMost(limit)) { media in
        Just(media).receive(on: DispatchQueue.global(qos: .utility)).tryMap { try service.uploadBlocking($0) }
      }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Publishers.Timer(every: interval, on: DispatchQueue.global()).sink { _ in beat() }
  }
}
