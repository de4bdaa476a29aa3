import Dispatch
import UploadScenario

/// One post whose media file is uploaded in chunks.
final class StreamJob<Service: UploadService>: Job<Service>, @unchecked Sendable {
  // Invariant: as in `Job`; one read at a time uses the reader.
  private let uploaders: Int
  private let room: Int
  private var reader: ChunkReader?
  private var buffered: [Chunk] = []
  private var uploading = 0
  private var isReading = false
  private var chunkCount = 0
  private var isAtTheEnd = false

  init(
    _ post: Post, _ service: Service, _ flaw: Flaw?, uploaders: Int, room: Int,
    _ completion: @escaping Completion
  ) {
    self.uploaders = flaw == .exceedsTheLimitByOne ? uploaders + 1 : flaw == .oneAfterAnother ? 1 : uploaders
    self.room = flaw == .readsTheWholeMedia ? .max : room
    super.init(post, service, flaw, count: .max, width: 0, completion)
  }

  func start(_ media: Media) -> any Cancellable {
    enter {
      do {
        self.reader = try self.service.chunks(of: media)
        self.go()
      } catch { self.fail(error) }
    }
    return start { _, _ in }
  }

  private func go() {
    guard completion != nil else { return }
    while uploading < uploaders, !buffered.isEmpty { send(buffered.removeFirst()) }
    guard !isReading, !isAtTheEnd, uploading + buffered.count < room, let reader else { return }
    isReading = true
    let work = { @Sendable [self] in
      let result = Result { try reader.next() }
      enter { self.read(result) }
    }
    if flaw == .readsOnTheCaller {
      work()
    } else {
      DispatchQueue.global().async(execute: DispatchWorkItem(block: work))
    }
  }

  private func read(_ result: Result<Chunk?, any Error>) {
    isReading = false
    guard completion != nil else { return }
    switch result {
    case .failure(let error):
      if flaw == .cancelsLateAfterAFailedRead { completesFirst = true }
      fail(error)
    case .success(nil):
      isAtTheEnd = true
      end(at: chunkCount)
    case .success(let chunk?):
      chunkCount += 1
      buffered.append(chunk)
      go()
    }
  }

  private func send(_ chunk: Chunk) {
    uploading += 1
    let (index, service) = (chunk.index, service)
    ask({ service.upload(chunk, completion: $0) }) { result in
      self.uploading -= 1
      self.arrived(index, result)
      self.go()
    }
  }

  override func finish(_ result: Result<Publication, any Error>) {
    super.finish(result)
    if flaw == .leavesTheProducerWaiting, !buffered.isEmpty { leaked.withLock { $0.append(self) } }
    buffered = []
    reader = nil
  }
}
