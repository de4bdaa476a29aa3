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
      job.finish {
        $0.receipts = []
        $0.reader = try reader.get()
      }
      // The chunk that is being read has a place in the buffer; without a buffer it comes on top.
      job.read(places: max(1, buffer) + uploaders, uploaders: uploaders)
    }
    return job
  }
}

extension Job {
  /// Reads a chunk if there is a place for it; the end of an upload makes one.
  fileprivate func read(places: Int, uploaders: Int) {
    guard let reader = begin({ $0.chunks.count + $0.started < places ? $0.reader.take() : nil }) else {
      return
    }
    DispatchQueue.global().async {
      let result = Result { try reader.next() }
      self.finish { progress in
        guard let chunk = try result.get() else { return progress.missing -= 1 }
        progress.reader = reader
        progress.chunks.append(chunk)
        progress.receipts.append(nil)
        progress.missing += 1
      }
      self.upload(places: places, uploaders: uploaders)
      self.read(places: places, uploaders: uploaders)
    }
  }

  private func upload(places: Int, uploaders: Int) {
    guard let chunk = begin({ $0.started < uploaders ? $0.startNextChunk() : nil }) else { return }
    let request = service.perform(.uploadChunk(chunk)) { result in
      self.finish {
        try $0.add(result.get())
        $0.started -= 1
      }
      self.upload(places: places, uploaders: uploaders)
      self.read(places: places, uploaders: uploaders)
    }
    keep(request)
  }
}

extension Progress {
  fileprivate mutating func startNextChunk() -> Chunk? {
    guard !chunks.isEmpty else { return nil }
    started += 1
    return chunks.removeFirst()
  }
}
