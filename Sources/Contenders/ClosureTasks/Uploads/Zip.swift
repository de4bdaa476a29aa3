import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.zip(service.author(of: post), service.place(of: post), service.audience(of: post))
      .then { author, place, audience in
        service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
      }
      .perform(on: nil, then: completion)
  }
}
