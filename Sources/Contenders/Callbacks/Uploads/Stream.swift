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
  /// A chunk, and the place for its request.
  typealias Upload = (chunk: Chunk, place: Int)
  typealias Step = CallbackJob<Flow>.Step

  let media: Media
  private let buffer: Int
  private let uploaders: Int
  /// Belongs to whoever reads, one at a time.
  var reader: ChunkReader?
  private var isReading = false
  private var isAtEnd = false
  private var isStarting = false
  /// In the order in which they were read.
  private var waiting: [Chunk] = []
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

  /// Adds a chunk, and gives out the next one to upload.
  mutating func add(_ chunk: Chunk) -> Upload? {
    waiting.append(chunk)
    receipts.expectOneMore()
    read += 1
    return startUploading()
  }

  /// There are no more chunks; whether everything has arrived.
  mutating func end() -> Bool {
    isAtEnd = true
    isReading = false
    return hasFinished
  }

  private var hasFinished: Bool { isAtEnd && finished == read }

  private var hasWork: Bool { inFlight < uploaders && !waiting.isEmpty }

  /// What to upload first, unless somebody is starting uploads, who looks again.
  mutating func startUploading() -> Upload? { isStarting ? nil : next() }

  /// What to upload next, if there is a chunk and an uploader is free.
  mutating func next() -> Upload? {
    isStarting = hasWork
    guard isStarting else { return nil }
    inFlight += 1
    return (waiting.removeFirst(), freePlaces.popLast() ?? inFlight - 1)
  }

  mutating func finish(_ index: Int, at place: Int, _ receipt: Receipt) -> Step {
    _ = receipts.add(receipt, at: index)
    freePlaces.append(place)
    inFlight -= 1
    finished += 1
    if hasFinished { return .createPost }
    return hasWork && !isStarting || hasPlace && !isReading ? .goOn : .wait
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
        uploadChunks(from: change { $0.add(chunk) } ?? nil)
      } while change { $0.goOnReading() } == true
    } catch { fail(error) }
  }

  private func uploadChunks(from first: Flow.Upload?) {
    var next = first
    while let (chunk, place) = next {
      let index = chunk.index
      request(at: place, { service.upload(chunk, completion: $0) }) { flow, receipt in
        flow.finish(index, at: place, receipt)
      } then: {
        self.uploadChunks(from: self.change { $0.startUploading() } ?? nil)
        self.read()
      }
      next = change { $0.next() } ?? nil
    }
  }
}
