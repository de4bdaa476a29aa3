import ClosureTasks
import Dispatch
import Synchronization
import UploadScenario

/// Chunks between one task that reads them and several that upload them: controllers of those that wait are kept here.
final class ChunkQueue: Sendable {
  private struct State {
    /// How many more may be read: a chunk has its place from before it is read until somebody uploads it.
    var places: Int
    var chunks: [Chunk] = []
    var hasEnded = false
    /// Waits for a place.
    var reader: ClosureTask<Void>.Controller?
    /// Wait for a chunk, or the end.
    var uploaders: [ClosureTask<Chunk?>.Controller] = []
    var receipts: [Receipt] = []
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(places: places)) }

  /// Those of what was uploaded, in the order of the chunks.
  var receipts: [Receipt] {
    state.withLock { $0.receipts.sorted { $0.mediaIndex < $1.mediaIndex } }
  }

  /// Reads one chunk after another, each when there is a place for it.
  func fill(from reader: ChunkReader) -> ClosureTask<Void> {
    // Read by the step itself: whoever cancels is not told before a step has returned.
    place.then {
      guard let chunk = try reader.next() else { return ClosureTask { $0.finish(with: self.end()) } }
      self.put(chunk)
      return self.fill(from: reader)
    }
  }

  /// Uploads one chunk after another, until there are no more.
  func drain(_ upload: @escaping @Sendable (Chunk) -> ClosureTask<Receipt>) -> ClosureTask<Void> {
    next.then { chunk in
      guard let chunk else { return ClosureTask { $0.finish() } }
      return upload(chunk).then { receipt in
        self.state.withLock { $0.receipts.append(receipt) }
        return self.drain(upload)
      }
    }
  }

  /// Waits for a place, and goes on where there is time to read.
  private var place: ClosureTask<Void> {
    ClosureTask { controller in
      let isFree = self.state.withLock { state in
        if state.places == 0 {
          state.reader = controller
          return false
        }
        state.places -= 1
        return true
      }
      if isFree { Self.goOn(controller) }
    }
  }

  private static func goOn(_ reader: ClosureTask<Void>.Controller) {
    DispatchQueue.global().async { reader.finish() }
  }

  private func put(_ chunk: Chunk) {
    let uploader = state.withLock { state -> ClosureTask<Chunk?>.Controller? in
      if state.uploaders.isEmpty {
        state.chunks.append(chunk)
        return nil
      }
      state.places += 1
      return state.uploaders.removeFirst()
    }
    uploader?.finish(with: chunk)
  }

  private var next: ClosureTask<Chunk?> {
    ClosureTask { controller in
      let (answer, reader) = self.state.withLock { state -> (Chunk??, ClosureTask<Void>.Controller?) in
        if !state.chunks.isEmpty {
          if state.reader == nil { state.places += 1 }
          return (state.chunks.removeFirst(), state.reader.take())
        }
        if state.hasEnded { return (.some(nil), nil) }
        state.uploaders.append(controller)
        return (nil, nil)
      }
      if let reader { Self.goOn(reader) }
      if let answer { controller.finish(with: answer) }
    }
  }

  private func end() {
    let uploaders = state.withLock { state in
      state.hasEnded = true
      return state.uploaders
    }
    for uploader in uploaders { uploader.finish(with: nil) }
  }
}
