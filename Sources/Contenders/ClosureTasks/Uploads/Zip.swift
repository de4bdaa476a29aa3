import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.zip(service.author(of: post), service.place(of: post), service.audience(of: post))
      .then { service.createPost(post, details: PostDetails(author: $0, place: $1, audience: $2)) }
      .perform(completion: completion)
  }
}
