import Dispatch
import UploadScenario

extension CallbackUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let flow = Flow(media, buffer: buffer, uploaders: uploaders)
    let job = CallbackJob(post, service: service, places: 0, progress: flow, completion: completion)
    job.read()
    return job
  }
}

/// The chunks between the producer and the uploaders.
private struct Flow: UploadProgress {
  let media: Media
  private let buffer: Int
  private let uploaders: Int
  /// Belongs to whoever reads, one at a time.
  var reader: ChunkReader?
  private var isReading = false
  private var isAtEnd = false
  private var isStarting = false
  private var waiting: [Int: Chunk] = [:]
  private var nextIndex = 0
  private var read = 0
  private var inFlight = 0
  private var freePlaces: [Int] = []
  private(set) var receipts = Receipts(count: 0)
  private var finished = 0

  init(_ media: Media, buffer: Int, uploaders: Int) {
    self.media = media
    // The one in the producer's hand is one of the buffer's; a rendezvous has none, so it comes on top.
    self.buffer = max(1, buffer)
    self.uploaders = uploaders
  }

  private var hasPlace: Bool { !isAtEnd && read - finished - uploaders < buffer }

  /// Whether there is something to read, and nobody who does.
  mutating func startReading() -> Bool {
    guard hasPlace, !isReading else { return false }
    isReading = true
    return true
  }

  mutating func goOnReading() -> Bool {
    isReading = hasPlace
    return isReading
  }

  mutating func add(_ chunk: Chunk) {
    waiting[chunk.index] = chunk
    receipts.expectOneMore()
    read += 1
  }

  /// There are no more chunks; whether everything has arrived.
  mutating func end() -> Bool {
    isAtEnd = true
    isReading = false
    return hasFinished
  }

  private var hasFinished: Bool { isAtEnd && finished == read }

  /// Whether nobody is starting uploads; who does looks again.
  mutating func startUploading() -> Bool {
    defer { isStarting = true }
    return !isStarting
  }

  /// The next chunk, if an uploader is free, and the place for its request.
  mutating func next() -> (chunk: Chunk, place: Int)? {
    guard inFlight < uploaders, let chunk = waiting.removeValue(forKey: nextIndex) else {
      isStarting = false
      return nil
    }
    nextIndex += 1
    inFlight += 1
    return (chunk, freePlaces.popLast() ?? inFlight - 1)
  }

  /// Whether everything has arrived.
  mutating func finish(_ index: Int, at place: Int, _ receipt: Receipt) -> Bool {
    _ = receipts.add(receipt, at: index)
    freePlaces.append(place)
    inFlight -= 1
    finished += 1
    return hasFinished
  }
}

extension CallbackJob where Progress == Flow {
  /// Reads as long as there are places, on a thread that nobody waits on: what ends an upload calls again.
  fileprivate func read() {
    guard change({ $0.startReading() }) == true else { return }
    DispatchQueue.global().async { self.work { self.readChunks() } }
  }

  private func readChunks() {
    do {
      guard let (media, known) = change({ ($0.media, $0.reader) }) else { return }
      let reader = try known ?? service.chunks(of: media)
      change { $0.reader = reader }
      repeat {
        guard let chunk = try reader.next() else {
          return step { $0.end() ? .createPost : .wait }
        }
        change { $0.add(chunk) }
        uploadChunks()
      } while change { $0.goOnReading() } == true
    } catch { fail(error) }
  }

  private func uploadChunks() {
    guard change({ $0.startUploading() }) == true else { return }
    while let (chunk, place) = change({ $0.next() }) ?? nil {
      let index = chunk.index
      request(at: place, { service.upload(chunk, completion: $0) }) { flow, receipt in
        flow.finish(index, at: place, receipt) ? .createPost : .goOn
      } then: {
        self.uploadChunks()
        self.read()
      }
    }
  }
}
