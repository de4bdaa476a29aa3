import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // The first failure immediately cancels the uploads in flight and calls the completion.
    ClosureTask.group(post.media, limit: limit) { service.perform(.upload($0)) }
      .then { service.createPost(post, receipts: $0) }
      .perform(on: nil, then: completion)
  }
}
