import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.sequence(post.media) { service.perform(.upload($0)) }
      .then { service.createPost(post, receipts: $0) }
      .perform(on: nil, then: completion)
  }
}
