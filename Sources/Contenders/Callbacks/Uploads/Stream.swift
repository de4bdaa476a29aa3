import Dispatch
import UploadScenario

extension CallbackUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    // The end of the file is missing, too.
    let job = Job(post, service, missing: 1, completion)
    DispatchQueue.global().async {
      let reader = Result { try service.chunks(of: media) }
      // The chunk that is being read has a place in the buffer; without a buffer it comes on top.
      job.finish {
        $0.receipts = []
        $0.chunks = try Chunks(
          reader: reader.get(), places: max(1, buffer) + uploaders, uploaders: uploaders)
      }
      job.read()
    }
    return job
  }
}

/// The chunks of a media file between its reader and its uploads.
struct Chunks: Sendable {
  /// Nil while a thread reads, and at the end.
  var reader: ChunkReader?
  var places = 0
  var uploaders = 0
  var waiting: [Chunk] = []
  var uploading = 0

  mutating func startReading() -> ChunkReader? {
    waiting.count + uploading < places ? reader.take() : nil
  }

  mutating func startUploading() -> Chunk? {
    guard uploading < uploaders, !waiting.isEmpty else { return nil }
    uploading += 1
    return waiting.removeFirst()
  }
}

extension Job {
  /// Reads a chunk if there is a place for it; the end of an upload makes one.
  fileprivate func read() {
    guard let reader = begin({ $0.chunks.startReading() }) else { return }
    DispatchQueue.global().async {
      let result = Result { try reader.next() }
      self.finish { progress in
        guard let chunk = try result.get() else { return progress.missing -= 1 }
        progress.chunks.reader = reader
        progress.chunks.waiting.append(chunk)
        progress.receipts.append(nil)
        progress.missing += 1
      }
      self.upload()
      self.read()
    }
  }

  private func upload() {
    guard let chunk = begin({ $0.chunks.startUploading() }) else { return }
    let request = service.perform(.uploadChunk(chunk)) { result in
      self.finish {
        try $0.add(result.get())
        $0.chunks.uploading -= 1
      }
      self.upload()
      self.read()
    }
    keep(request)
  }
}
