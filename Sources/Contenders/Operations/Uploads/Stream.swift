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
    // An operation queue has no bound, so the chunks are requests of one operation, which counts their places.
    // The one that is being read is one of the buffer's; a rendezvous has none, so it comes on top.
    let places = max(1, buffer) + uploaders
    let stream = AsynchronousOperation<[Receipt]>(of: job) { stream in
      let state = Mutex((buffer: [Chunk](), uploaders: uploaders, places: places, receipts: [Receipt]()))
      @Sendable func read(from reader: ChunkReader) {
        reading.addOperation {
          if stream.isFinished { return }
          do {
            if let chunk = try reader.next() {
              state.withLock { $0.buffer.append(chunk) }
              return upload(from: reader)
            }
          } catch { return stream.finish(with: .failure(error)) }
          // At the end of the media file, every place is given back.
          let receipts = state.withLock { state in
            state.places -= 1
            return state.places == 0 ? state.receipts : nil
          }
          if let receipts { stream.finish(with: .success(receipts.sorted { $0.mediaIndex < $1.mediaIndex })) }
        }
      }
      @Sendable func upload(from reader: ChunkReader) {
        let chunk = state.withLock { state -> Chunk? in
          guard state.uploaders > 0, !state.buffer.isEmpty else { return nil }
          state.uploaders -= 1
          return state.buffer.removeFirst()
        }
        guard let chunk, !stream.isFinished else { return }
        let request = service.upload(chunk) { result in
          switch result {
          case .success(let receipt):
            state.withLock { $0.receipts.append(receipt) }
            state.withLock { $0.uploaders += 1 }
            upload(from: reader)
            read(from: reader)
          case .failure(let error): stream.finish(with: .failure(error))
          }
        }
        stream.keep(request)
      }
      do {
        let reader = try service.chunks(of: media)
        for _ in 0..<places { read(from: reader) }
      } catch { stream.finish(with: .failure(error)) }
    }
    return job.run([stream], completion) { service.createPost(post, receipts: stream.value!, completion: $0) }
  }
}
