import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // A concurrent queue gives each blocked call a thread: without a limit as many as Dispatch allows, and nothing else
    // on its queues goes on meanwhile.
    ClosureTask.group(post.media, limit: limit) { media in
      ClosureTask(on: .global()) { try service.uploadBlocking(media) }
    }
    .then { service.createPost(post, receipts: $0) }
    .perform(completion: completion)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    @Sendable func beats() -> ClosureTask<Void> {
      ClosureTask { $0.finish(with: beat()) }.delay(for: interval).then(beats)
    }
    return beats().perform { _ in }
  }
}
