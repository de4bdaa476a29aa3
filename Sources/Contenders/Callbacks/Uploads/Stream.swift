import Dispatch
import Synchronization
import UploadScenario

extension CallbackUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let state = Mutex((chunks: [Chunk](), uploading: 0, receipts: [Receipt]()))
    let job = Job([], completion) { _, completion in
      let receipts = state.withLock { $0.receipts }.sorted { $0.mediaIndex < $1.mediaIndex }
      return service.createPost(post, receipts: receipts, completion: completion)
    }
    let queue = DispatchQueue(label: "reader", target: .global())
    @Sendable func read(from reader: ChunkReader) {
      job.perform(on: queue) {
        guard let chunk = try reader.next() else { return }
        state.withLock { $0.chunks.append(chunk) }
        upload(from: reader)
      }
    }
    @Sendable func upload(from reader: ChunkReader) {
      let chunk = state.withLock { state -> Chunk? in
        guard state.uploading < uploaders, !state.chunks.isEmpty else { return nil }
        state.uploading += 1
        return state.chunks.removeFirst()
      }
      guard let chunk else { return }
      job.request({ service.perform(.uploadChunk(chunk), completion: $0) }) { receipt in
        state.withLock { state in
          state.receipts.append(receipt)
          state.uploading -= 1
        }
        upload(from: reader)
        read(from: reader)
      }
    }
    job.perform(on: queue) {
      let reader = try service.chunks(of: media)
      // Each uploader gets one chunk, and `buffer` more are read ahead: one even if the buffer is 0.
      for _ in 0..<max(1, buffer) + uploaders { read(from: reader) }
    }
    return job.run()
  }
}
