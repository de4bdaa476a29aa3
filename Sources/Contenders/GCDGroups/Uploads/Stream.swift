import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let chunks = Chunks(of: media, buffer: buffer, uploaders: uploaders)
    let job = GroupJob(post, service: service, on: queue, progress: chunks, completion: completion)
    return job.run {
      job.read()
    } then: {
      let receipts = job.change({ $0.receipts.all }) ?? []
      job.create { service.createPost(post, receipts: receipts, completion: $0) }
    }
  }
}

/// The chunks of a media file that are between its producer and its uploaders.
///
/// A producer that waited at a semaphore for a free place would hold a thread for each stream, and a few hundred of
/// them all threads that Dispatch has. So it is asked for one chunk at a time, when there is a place.
private struct Chunks: Sendable {
  let media: Media
  var reader: ChunkReader?
  var receipts = Receipts(count: 0)
  private let mostAlive: Int
  private let uploaders: Int
  private var alive = 0
  private var inFlight = 0
  private var isReading = false
  private var isAtEnd = false
  private var waiting: [Chunk] = []

  init(of media: Media, buffer: Int, uploaders: Int) {
    self.media = media
    self.uploaders = uploaders
    // The one in the producer's hand is one of the buffer's; a rendezvous has none, so it comes on top.
    mostAlive = max(1, buffer) + uploaders
  }

  mutating func startReading() -> Bool {
    guard !isReading, !isAtEnd, alive < mostAlive else { return false }
    isReading = true
    return true
  }

  mutating func finishReading(_ chunk: Chunk?) {
    isReading = false
    isAtEnd = chunk == nil
    guard let chunk else { return }
    alive += 1
    waiting.append(chunk)
  }

  mutating func startUploading() -> Chunk? {
    guard inFlight < uploaders, !waiting.isEmpty else { return nil }
    inFlight += 1
    return waiting.removeFirst()
  }

  mutating func finishUploading(_ receipt: Receipt, at index: Int) {
    inFlight -= 1
    alive -= 1
    _ = receipts.keep(receipt, at: index)
  }
}

extension GroupJob where Progress == Chunks {
  fileprivate func read() {
    guard change({ $0.startReading() }) == true else { return }
    DispatchQueue.global().async(group: group) {
      if self.hasFailed { return }
      do {
        guard let (media, known) = self.change({ ($0.media, $0.reader) }) else { return }
        let reader = try known ?? self.service.chunks(of: media)
        let chunk = try reader.next()
        self.change {
          $0.reader = reader
          $0.finishReading(chunk)
        }
        self.upload()
        self.read()
      } catch { self.fail(error) }
    }
  }

  private func upload() {
    advance {
      while let chunk = change({ $0.startUploading() }) ?? nil {
        let index = chunk.index
        request({ service.upload(chunk, completion: $0) }) { receipt in
          self.change { $0.finishUploading(receipt, at: index) }
          self.upload()
          self.read()
        }
      }
    }
  }
}
