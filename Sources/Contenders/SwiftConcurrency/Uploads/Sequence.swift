import UploadScenario

extension SwiftConcurrencyUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      var receipts: [Receipt] = []
      for media in post.media { receipts.append(try await service.upload(media)) }
      return try await service.createPost(post, receipts: receipts)
    }
  }
}
