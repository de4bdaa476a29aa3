import ClosureTasks
import Dispatch
import UploadScenario

/// The job begins on a queue of its own: the caller has gone on by then.
struct OnQueue: PartialContender {
  let name = "closure-tasks/on-queue"
  let summary = "closure tasks: a group or a sequence performed on a chosen dispatch queue"
  let patterns = [Pattern.publish, .sequence]
  private let queue = DispatchQueue(label: "posts")

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media, limit: limit) { service.upload($0) }
      .then { service.createPost(post, receipts: $0) }
      .perform(on: queue, completion: completion)
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.sequence(post.media) { service.upload($0) }
      .then { service.createPost(post, receipts: $0) }
      .perform(on: queue, completion: completion)
  }
}
