import UploadScenario

extension SwiftConcurrencyUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      // An AsyncStream never lets its producer wait. So a second one carries credits back, one for each chunk of the
      // buffer, which costs a second hand-over, and a switch of tasks with it, for each chunk.
      let (chunks, chunkInput) = AsyncStream<Chunk>.makeStream()
      let (credits, creditInput) = AsyncStream<Void>.makeStream()
      for _ in 0..<max(1, buffer) { creditInput.yield() }
      let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
        group.addTask(executorPreference: computingExecutor) {
          defer { chunkInput.finish() }
          let reader = try service.chunks(of: media)
          for await _ in credits {
            // What a stream has buffered comes to a cancelled task, too.
            try Task.checkCancellation()
            guard let chunk = try reader.next() else { break }
            chunkInput.yield(chunk)
          }
          return []
        }
        for _ in 0..<uploaders {
          group.addTask {
            var receipts: [Receipt] = []
            for await chunk in chunks {
              creditInput.yield()
              receipts.append(try await service.upload(chunk))
            }
            return receipts
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      return try await service.createPost(
        post, receipts: receipts.sorted { $0.mediaIndex < $1.mediaIndex })
    }
  }
}
