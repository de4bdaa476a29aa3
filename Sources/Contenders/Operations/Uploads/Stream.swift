import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, limit: uploaders, completion: completion)
    // The one in the producer's hand is one of the buffer's; a rendezvous has none, so it comes on top.
    let producer = ProducerOperation(of: job, media, buffer: max(1, buffer), uploaders: uploaders)
    let creation = PostOperation(of: job) { service, completion in
      service.createPost(post, receipts: producer.receipts, completion: completion)
    }
    job.run(producer, then: creation)
    return job
  }
}

/// Reads chunks and adds an upload for each. An operation queue has no bound of its own, so the producer counts what it
/// has added, and goes on when one has ended.
private final class ProducerOperation<Service: UploadService>: AsynchronousOperation, @unchecked Sendable {
  private struct State {
    var reader: ChunkReader?
    var isReading = false
    var isAtEnd = false
    var alive = 0
    var receipts: [Receipt?] = []
    var isFinished = false
  }

  private let job: OperationJob<Service>
  private let media: Media
  private let buffer: Int
  private let uploaders: Int
  private let readQueue = OperationQueue()
  private let state = Mutex(State())

  init(of job: OperationJob<Service>, _ media: Media, buffer: Int, uploaders: Int) {
    self.job = job
    self.media = media
    self.buffer = buffer
    self.uploaders = uploaders
    readQueue.maxConcurrentOperationCount = 1
  }

  var receipts: [Receipt] { state.withLock { $0.receipts.compactMap { $0 } } }

  override func main() { goOn() }

  /// Reads if there is a place and nobody reads; finishes if there is nothing left.
  private func goOn() {
    let hasFailed = job.failure != nil
    let (reads, finishes) = state.withLock { state in
      if state.isReading || state.isFinished { return (false, false) }
      if state.isAtEnd || hasFailed {
        state.isFinished = state.alive == 0
        return (false, state.isFinished)
      }
      state.isReading = state.alive - uploaders < buffer
      return (state.isReading, false)
    }
    if reads { readQueue.addOperation { self.read() } }
    if finishes { finish() }
  }

  private func read() {
    do {
      if let chunk = try nextChunk() { upload(chunk) } else { state.withLock { $0.isAtEnd = true } }
    } catch { job.fail(error) }
    state.withLock { $0.isReading = false }
    goOn()
  }

  private func nextChunk() throws -> Chunk? {
    let reader = try state.withLock { $0.reader } ?? job.service.chunks(of: media)
    state.withLock { $0.reader = reader }
    return try reader.next()
  }

  private func upload(_ chunk: Chunk) {
    let index = chunk.index
    state.withLock { state in
      state.alive += 1
      state.receipts.append(nil)
    }
    let upload = RequestOperation(of: job, { $0.upload(chunk, completion: $1) }) { receipt in
      self.state.withLock { state in
        state.alive -= 1
        state.receipts[index] = receipt
      }
      self.goOn()
    }
    job.add(upload)
  }
}
