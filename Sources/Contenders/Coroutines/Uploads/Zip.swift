import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) { [scheduler] in
      let details = try CoScope.run(on: scheduler) { scope in
        let author = try scope.async { try service.author(of: post) }
        let place = try scope.async { try service.place(of: post) }
        let audience = try scope.async { try service.audience(of: post) }
        return try PostDetails(author: author.await(), place: place.await(), audience: audience.await())
      }
      return try service.createPost(post, details: details)
    }
  }
}
