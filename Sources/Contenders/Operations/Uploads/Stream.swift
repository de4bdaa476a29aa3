import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob()
    let reading = OperationQueue()
    reading.maxConcurrentOperationCount = 1
    // One operation makes the requests for all chunks, because an operation queue cannot limit the chunks in memory.
    let state = Mutex((buffer: [Chunk](), uploaders: uploaders, receipts: [Receipt]()))
    let stream = AsynchronousOperation<Void>(of: job) { stream in
      @Sendable func read(from reader: ChunkReader) {
        stream.enter()
        reading.addOperation {
          defer { stream.leave() }
          do {
            guard job.error == nil, let chunk = try reader.next() else { return }
            state.withLock { $0.buffer.append(chunk) }
            upload(from: reader)
          } catch { job.fail(error) }
        }
      }
      @Sendable func upload(from reader: ChunkReader) {
        let chunk = state.withLock { state -> Chunk? in
          guard state.uploaders > 0, !state.buffer.isEmpty else { return nil }
          state.uploaders -= 1
          return state.buffer.removeFirst()
        }
        guard let chunk else { return }
        stream.request({ service.upload(chunk, completion: $0) }) { result in
          switch result {
          case .success(let receipt):
            state.withLock { $0.receipts.append(receipt) }
            state.withLock { $0.uploaders += 1 }
            upload(from: reader)
            read(from: reader)
          case .failure(let error): job.fail(error)
          }
        }
      }
      do {
        let reader = try service.chunks(of: media)
        // Each uploader gets one chunk, and `buffer` more are read ahead: one even if the buffer is 0.
        for _ in 0..<max(1, buffer) + uploaders { read(from: reader) }
      } catch { job.fail(error) }
    }
    return job.run([stream], completion) {
      let receipts = state.withLock { $0.receipts }.sorted { $0.mediaIndex < $1.mediaIndex }
      return service.createPost(post, receipts: receipts, completion: $0)
    }
  }
}
