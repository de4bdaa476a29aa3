import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(on: pool, completion) { [pool] in
      // The capacity is `buffer - 1`, because the producer holds one more chunk while it waits to send that chunk.
      let chunks = CoChannel<Chunk>(capacity: buffer - 1)
      let receipts = try CoGroup.run(on: pool) { group in
        try group.async {
          let reader = try service.chunks(of: media)
          while let chunk = try reader.next() { try chunks.awaitSend(chunk) }
          chunks.close()
        }
        return try group.map(Array(0..<uploaders)) { _ in
          var receipts: [Receipt] = []
          for chunk in chunks { receipts.append(try service.perform(.uploadChunk(chunk))) }
          return receipts
        }
      }
      return try service.createPost(
        post, receipts: receipts.joined().sorted { $0.mediaIndex < $1.mediaIndex })
    }
  }
}
