import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) { [scheduler] in
      let details = try CoGroup.run(on: scheduler) { group in
        let author = try group.async { try service.author(of: post) }
        let place = try group.async { try service.place(of: post) }
        let audience = try group.async { try service.audience(of: post) }
        return try PostDetails(author: author.await(), place: place.await(), audience: audience.await())
      }
      return try service.createPost(post, details: details)
    }
  }
}
