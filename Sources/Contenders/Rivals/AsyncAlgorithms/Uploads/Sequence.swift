#if AsyncAlgorithms
  import AsyncAlgorithms
  import UploadScenario

  extension AsyncAlgorithmsUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      start(completion) {
        let receipts = try await Array(post.media.async.map { try await service.perform(.upload($0)) })
        return try await service.createPost(post, receipts: receipts)
      }
    }
  }
#endif
