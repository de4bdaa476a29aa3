import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.sequence(post.media) { [queue] in service.upload($0).ended(on: queue) }
      .then { [queue] in service.createPost(post, receipts: $0).ended(on: queue) }
      .perform(completion: completion)
  }
}
