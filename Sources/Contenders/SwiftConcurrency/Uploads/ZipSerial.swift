import UploadScenario

extension SwiftConcurrencyUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      let details = try await PostDetails(
        author: service.author(of: post), place: service.place(of: post),
        audience: service.audience(of: post))
      return try await service.createPost(post, details: details)
    }
  }
}
