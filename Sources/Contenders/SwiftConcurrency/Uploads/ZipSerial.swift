import UploadScenario

extension SwiftConcurrencyUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let details = try await PostDetails(
        author: answer { service.author(of: post, completion: $0) },
        place: answer { service.place(of: post, completion: $0) },
        audience: answer { service.audience(of: post, completion: $0) })
      return try await answer { service.createPost(post, details: details, completion: $0) }
    }
  }
}
