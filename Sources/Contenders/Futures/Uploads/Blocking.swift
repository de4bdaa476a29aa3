import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A concurrent queue gives each blocked call a thread: without a limit as many as Dispatch allows, and nothing else
    // on its queues goes on meanwhile.
    let publication = Future.all(post.media, limit: limit) { media in
      DispatchQueue.global().future { try service.uploadBlocking(media) }
    }
    .flatMap { service.createPost(post, receipts: $0) }
    publication.whenComplete(completion)
    return publication
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    @Sendable func beats() -> Future<Void> {
      Future.after(interval, value: ()).flatMap {
        beat()
        return beats()
      }
    }
    return beats()
  }
}
