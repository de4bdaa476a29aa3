import Dispatch
import Synchronization
import UploadScenario

extension GCDGroupUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    let queue = DispatchQueue(label: "chunks", target: .global())
    let state = Mutex((buffer: [Chunk](), uploaders: uploaders))
    @Sendable func read(from reader: ChunkReader) {
      job.work(on: queue) {
        guard let chunk = try reader.next() else { return }
        state.withLock { $0.buffer.append(chunk) }
        upload(from: reader)
      }
    }
    @Sendable func upload(from reader: ChunkReader) {
      let chunk = state.withLock { state -> Chunk? in
        guard state.uploaders > 0, !state.buffer.isEmpty else { return nil }
        state.uploaders -= 1
        return state.buffer.removeFirst()
      }
      guard let chunk else { return }
      job.request({ service.upload(chunk, completion: $0) }) { receipt in
        job.keep(receipt)
        state.withLock { $0.uploaders += 1 }
        upload(from: reader)
        // No thread waits for a place in the buffer, because each upload that frees a place starts the next read.
        read(from: reader)
      }
    }
    job.work(on: queue) {
      let reader = try service.chunks(of: media)
      // Each uploader gets one chunk, and `buffer` more are read ahead: one even if the buffer is 0.
      for _ in 0..<max(1, buffer) + uploaders { read(from: reader) }
    }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }
}
