import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    service.author(of: post)
      .then { author in
        service.place(of: post).then { place in
          service.audience(of: post).map { PostDetails(author: author, place: place, audience: $0) }
        }
      }
      .then { service.createPost(post, details: $0) }
      .perform(on: nil, then: completion)
  }
}
