import Dispatch
import Futures
import UploadScenario

extension FutureUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A blocked call keeps a thread from all else of its class. Dispatch has as many for a class as there are cores, and on
    // Linux one more a second for as long as they stay blocked: that is the pace of the calls, whatever the limit. So it is
    // not the class that timers and everybody else use.
    let publication = Future.all(post.media, limit: limit) { [queue] media in
      DispatchQueue.global(qos: .utility).future { try service.uploadBlocking(media) }.delivered(on: queue)
    }
    .flatMap { [queue] in service.createPost(post, receipts: $0).delivered(on: queue) }
    publication.whenComplete(completion)
    return publication
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    // One at a time: a beat that is due waits until the one before has returned, and with it what cancels them both.
    let queue = DispatchQueue(label: "futures.heartbeat", target: queue ?? .global())
    @Sendable func beats() -> Future<Void> {
      Future.after(interval, value: ()).delivered(on: queue).flatMap {
        beat()
        return beats()
      }
    }
    return beats()
  }
}
