import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: scheduler, completion) {
      let details = try PostDetails(
        author: service.author(of: post), place: service.place(of: post),
        audience: service.audience(of: post))
      return try service.createPost(post, details: details)
    }
  }
}
