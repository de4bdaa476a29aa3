import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.zip(
      service.author(of: post).ended(on: queue), service.place(of: post).ended(on: queue),
      service.audience(of: post).ended(on: queue)
    )
    .then { [queue] author, place, audience in
      service.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
        .ended(on: queue)
    }
    .perform(completion: completion)
  }
}
