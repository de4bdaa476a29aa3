import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = StreamJob(post, service: service, completion: completion)
    job.run { job.read(media, buffer: buffer, uploaders: uploaders) }
    return job
  }
}

private final class StreamJob<Service: UploadService>: GroupUploadJob<Service>, @unchecked Sendable {
  // A producer that waited at a semaphore for a free place would hold a thread for each stream, and a few hundred of
  // them all threads that Dispatch has. So it is asked for one chunk at a time, when there is a place.
  private let producer = DispatchQueue(label: "producer")
  // Invariant: touched on `producer` only.
  private var reader: ChunkReader?
  private var isReading = false
  private var isAtEnd = false
  private var alive = 0
  private var inFlight = 0
  private var waiting: [Int: Chunk] = [:]
  private var next = 0

  override func stop() {
    for chunk in waiting.values { chunk.giveBack() }
    waiting = [:]
  }

  func read(_ media: Media, buffer: Int, uploaders: Int) {
    // The one in the producer's hand is one of the buffer's; a rendezvous has none, so it comes on top.
    guard failure == nil, !isReading, !isAtEnd, alive - uploaders < max(1, buffer) else { return }
    isReading = true
    group.enter()
    producer.async {
      let chunk = Result {
        if self.reader == nil { self.reader = try self.service.chunks(of: media) }
        return try self.reader?.next()
      }
      self.queue.async {
        self.isReading = false
        self.take(chunk)
        self.upload(uploaders: uploaders) { self.read(media, buffer: buffer, uploaders: uploaders) }
        self.read(media, buffer: buffer, uploaders: uploaders)
        self.group.leave()
      }
    }
  }

  private func take(_ chunk: Result<Chunk?, any Error>) {
    switch chunk {
    case .success(let chunk?) where failure != nil: chunk.giveBack()
    case .success(let chunk?):
      alive += 1
      waiting[chunk.index] = chunk
    case .success(nil): isAtEnd = true
    case .failure(let error): fail(error)
    }
  }

  private func upload(uploaders: Int, _ hasPlace: @escaping @Sendable () -> Void) {
    while failure == nil, inFlight < uploaders, let chunk = waiting.removeValue(forKey: next) {
      let index = next
      next += 1
      inFlight += 1
      group.enter()
      request({ service.upload(chunk, completion: $0) }) { receipt in
        self.inFlight -= 1
        self.alive -= 1
        self.keep(receipt, at: index)
        self.upload(uploaders: uploaders, hasPlace)
        hasPlace()
        self.group.leave()
      }
    }
  }
}
