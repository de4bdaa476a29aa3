import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A blocked call keeps a thread from all else of its class. Dispatch has as many for a class as there are cores, and on
    // Linux one more a second for as long as they stay blocked: that is the pace of the calls, whatever the limit. So it is
    // not the class that timers and everybody else use.
    post.media.publisher
      .concatMapEager(maxPublishers: limit.map { .max($0) } ?? .unlimited) { [queue] media in
        Just(media).receive(on: DispatchQueue.global(qos: .utility)).tryMap { try service.uploadBlocking($0) }
          .receive(on: queue)
      }
      .collect()
      .flatMap { [queue] in service.createPost(post, receipts: $0).receive(on: queue) }
      .subscribe(receiveResult: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Publishers.Timer(every: interval, on: queue ?? .global()).sink { _ in beat() }
  }
}

extension AnyCancellable: Cancellable {}
