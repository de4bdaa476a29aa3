#if AsyncAlgorithms
  import AsyncAlgorithms
  import UploadScenario

  extension AsyncAlgorithmsUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      start(completion) {
        let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
          if let limit {
            let channel = AsyncChannel<Media>()
            group.addTask {
              for media in post.media { await channel.send(media) }
              channel.finish()
              return []
            }
            for _ in 0..<limit {
              group.addTask { try await Array(channel.map { try await service.perform(.upload($0)) }) }
            }
          } else {
            // Without a limit, no channel is used, because it would need a worker for each media file.
            for media in post.media { group.addTask { [try await service.perform(.upload(media))] } }
          }
          return try await group.reduce(into: []) { $0 += $1 }
        }
        return try await service.createPost(
          post, receipts: receipts.sorted { $0.mediaIndex < $1.mediaIndex })
      }
    }
  }
#endif
