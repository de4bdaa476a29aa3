import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Dispatch has few threads for each QoS class. The class `utility` leaves those of timers and other work free.
    ClosureTask.group(post.media, limit: limit) { media in
      ClosureTask(on: .global(qos: .utility)) { try service.uploadBlocking(media) }
    }
    .then { service.createPost(post, receipts: $0) }
    .perform(on: nil, then: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    @Sendable func beats() -> ClosureTask<Void> {
      ClosureTask { $0.finish(with: beat()) }.delay(for: interval).then(beats)
    }
    return beats().perform { _ in }
  }
}
