#if AsyncAlgorithms
  import AsyncAlgorithms
  import UploadScenario

  extension AsyncAlgorithmsUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      start(completion) {
        let details = AsyncAlgorithms.zip(
          [post].async.map { try await service.author(of: $0) },
          [post].async.map { try await service.place(of: $0) },
          [post].async.map { try await service.audience(of: $0) })
        for try await (author, place, audience) in details {
          return try await service.createPost(
            post, details: PostDetails(author: author, place: place, audience: audience))
        }
        throw CancellationError()
      }
    }
  }
#endif
