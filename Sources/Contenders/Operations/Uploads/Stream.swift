import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = queue.limited(to: uploaders)
    // The one in the producer's hand is one of the buffer's; a rendezvous has none, so it comes on top.
    let producer = ProducerOperation(
      of: job, media, mostAlive: max(1, buffer) + uploaders, reading: workQueues[.normal]!, uploads: uploads)
    return job.run([producer]) {
      service.createPost(post, receipts: producer.receipts, completion: $0)
    }
  }
}

/// Reads chunks and adds an upload for each. An operation queue has no bound of its own, so the producer counts what it
/// has added, and goes on when one has ended.
private final class ProducerOperation: AsynchronousOperation, @unchecked Sendable {
  private struct State {
    var reader: ChunkReader?
    var isReading = false
    var isAtEnd = false
    var alive = 0
    var receipts: [Receipt?] = []
    var isFinished = false
  }

  private let job: OperationJob
  private let media: Media
  private let mostAlive: Int
  private let reading: OperationQueue
  private let uploads: OperationQueue
  private let state = Mutex(State())

  init(
    of job: OperationJob, _ media: Media, mostAlive: Int, reading: OperationQueue, uploads: OperationQueue
  ) {
    self.job = job
    self.media = media
    self.mostAlive = mostAlive
    self.reading = reading
    self.uploads = uploads
  }

  var receipts: [Receipt] { state.withLock { $0.receipts.compactMap { $0 } } }

  override func main() { goOn() }

  /// Finishes when the uploads under way have ended.
  override func cancel() {
    super.cancel()
    uploads.cancelAllOperations()
  }

  /// Reads if there is a place and nobody reads; finishes if there is nothing left.
  private func goOn() {
    let hasFailed = job.failure != nil
    let (reads, finishes) = state.withLock { state in
      if state.isReading || state.isFinished { return (false, false) }
      if state.isAtEnd || hasFailed {
        state.isFinished = state.alive == 0
        return (false, state.isFinished)
      }
      state.isReading = state.alive < mostAlive
      return (state.isReading, false)
    }
    if reads { reading.addOperation { self.read() } }
    if finishes { finish() }
  }

  private func read() {
    do {
      let reader = try state.withLock { $0.reader } ?? job.service.chunks(of: media)
      let chunk = try reader.next()
      state.withLock { state in
        state.reader = reader
        state.isAtEnd = chunk == nil
      }
      if let chunk { upload(chunk) }
    } catch { job.fail(error) }
    state.withLock { $0.isReading = false }
    goOn()
  }

  private func upload(_ chunk: Chunk) {
    let index = chunk.index
    state.withLock { state in
      state.alive += 1
      state.receipts.append(nil)
    }
    let upload = RequestOperation(of: job) {
      self.job.service.upload(chunk, completion: $0)
    } finished: { receipt in
      self.state.withLock { state in
        state.alive -= 1
        state.receipts[index] = receipt
      }
      self.goOn()
    }
    uploads.addOperation(upload)
  }
}
