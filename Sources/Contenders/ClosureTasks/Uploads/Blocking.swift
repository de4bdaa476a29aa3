import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A blocked call keeps a thread from all else of its class. Dispatch has as many for a class as there are cores, and on
    // Linux one more a second for as long as they stay blocked: that is the pace of the calls, whatever the limit. So it is
    // not the class that timers and everybody else use.
    ClosureTask.group(post.media, limit: limit) { [queue] media in
      ClosureTask(on: .global(qos: .utility)) { try service.uploadBlocking(media) }.ended(on: queue)
    }
    .then { [queue] in service.createPost(post, receipts: $0).ended(on: queue) }
    .perform(completion: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    @Sendable func beats() -> ClosureTask<Void> {
      ClosureTask { $0.finish(with: beat()) }.on(queue).delay(for: interval).then(beats)
    }
    return beats().perform { _ in }
  }
}
