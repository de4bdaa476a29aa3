import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media, limit: limit) { [queue] in service.upload($0).ended(on: queue) }
      .then { [queue] in service.createPost(post, receipts: $0).ended(on: queue) }
      .perform(completion: completion)
  }
}
