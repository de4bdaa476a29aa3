import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post).ended(on: queue)
      .then { [queue] author in
        service.place(of: post).ended(on: queue).then { place in
          service.audience(of: post).ended(on: queue).map {
            PostDetails(author: author, place: place, audience: $0)
          }
        }
      }
      .then { [queue] in service.createPost(post, details: $0).ended(on: queue) }
      .perform(completion: completion)
  }
}
