import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A concurrent queue gives each blocked call a thread: without a limit as many as Dispatch allows, and nothing else
    // on its queues goes on meanwhile.
    post.media.publisher
      .concatMapEager(maxPublishers: limit.map { .max($0) } ?? .unlimited) { media in
        Just(media).receive(on: DispatchQueue.global()).tryMap { try service.uploadBlocking($0) }
      }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Publishers.Timer(every: interval, on: DispatchQueue.global()).sink { _ in beat() }
  }
}

extension AnyCancellable: Cancellable {}
