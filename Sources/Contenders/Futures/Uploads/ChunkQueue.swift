import Dispatch
import Futures
import Synchronization
import UploadScenario

/// Chunks between one that reads them and several that upload them: whoever has to wait does so with a promise.
final class ChunkQueue: Sendable {
  private struct State {
    /// How many more may be read: a chunk has its place from before it is read until somebody uploads it.
    var places: Int
    var chunks: [Chunk] = []
    var hasEnded = false
    /// Waits for a place.
    var reader: Promise<Void>?
    /// Wait for a chunk, or the end.
    var uploaders: [Promise<Chunk?>] = []
    var receipts: [Receipt] = []
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(places: places)) }

  /// Those of what was uploaded, in the order of the chunks.
  var receipts: [Receipt] {
    state.withLock { $0.receipts.sorted { $0.mediaIndex < $1.mediaIndex } }
  }

  /// Reads one chunk after another, each when there is a place for it.
  @Sendable func fill(from reader: ChunkReader) -> Future<Void> {
    // Read by the step itself: whoever cancels is not told before a step has returned.
    place().flatMap(on: .global()) {
      guard let chunk = try reader.next() else { return Future(value: self.end()) }
      self.put(chunk)
      return self.fill(from: reader)
    }
  }

  /// Uploads one chunk after another, until there are no more.
  func drain(_ upload: @escaping @Sendable (Chunk) -> Future<Receipt>) -> Future<Void> {
    next().flatMap { chunk in
      guard let chunk else { return Future(value: ()) }
      return upload(chunk).flatMap { receipt in
        self.state.withLock { $0.receipts.append(receipt) }
        return self.drain(upload)
      }
    }
  }

  private func place() -> Future<Void> {
    state.withLock { state in
      if state.places > 0 {
        state.places -= 1
        return Future(value: ())
      }
      let promise = Promise<Void>()
      state.reader = promise
      return promise.future
    }
  }

  private func put(_ chunk: Chunk) {
    let uploader = state.withLock { state -> Promise<Chunk?>? in
      if state.uploaders.isEmpty {
        state.chunks.append(chunk)
        return nil
      }
      state.places += 1
      return state.uploaders.removeFirst()
    }
    uploader?.succeed(chunk)
  }

  private func next() -> Future<Chunk?> {
    let (chunk, reader) = state.withLock { state -> (Future<Chunk?>, Promise<Void>?) in
      if !state.chunks.isEmpty {
        if state.reader == nil { state.places += 1 }
        return (Future(value: state.chunks.removeFirst()), state.reader.take())
      }
      if state.hasEnded { return (Future(value: nil), nil) }
      let promise = Promise<Chunk?>()
      state.uploaders.append(promise)
      return (promise.future, nil)
    }
    reader?.succeed(())
    return chunk
  }

  private func end() {
    let uploaders = state.withLock { state in
      state.hasEnded = true
      return state.uploaders
    }
    for uploader in uploaders { uploader.succeed(nil) }
  }
}
