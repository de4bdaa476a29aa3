import UploadScenario

extension SwiftConcurrencyUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let (chunks, reading) = AsyncStream<Chunk>.makeStream()
      // An `AsyncStream` cannot make its producer wait. So the producer takes elements of this stream, one for each free place.
      let (places, freeing) = AsyncStream<Void>.makeStream()
      for _ in 0..<max(1, buffer) { freeing.yield() }
      let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
        group.addTask {
          defer { reading.finish() }
          let reader = try service.chunks(of: media)
          for await _ in places {
            // This check is needed because a stream delivers buffered elements even to a cancelled task.
            try Task.checkCancellation()
            guard let chunk = try reader.next() else { break }
            reading.yield(chunk)
          }
          return []
        }
        for _ in 0..<uploaders {
          group.addTask {
            var receipts: [Receipt] = []
            for await chunk in chunks {
              freeing.yield()
              receipts.append(try await service.perform(.uploadChunk(chunk)))
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
