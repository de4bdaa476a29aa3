import ClosureTasks
import Dispatch
import Synchronization
import UploadScenario

extension ClosureTaskUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let places = Line<Void>(Array(repeating: (), count: max(1, buffer)))
    let chunks = Line<Chunk?>()
    let receipts = Line<Receipt>()
    @Sendable func fill(from reader: ChunkReader) -> ClosureTask<Void> {
      places.next.then {
        let chunk = try reader.next()
        chunks.add(chunk)
        return chunk == nil ? ClosureTask { $0.finish() } : fill(from: reader)
      }
    }
    @Sendable func drain() -> ClosureTask<Void> {
      chunks.next.then { chunk in
        guard let chunk else {
          // The `nil` that marks the end is added again, because each of the other uploaders must receive it, too.
          chunks.add(nil)
          return ClosureTask { $0.finish() }
        }
        // Each element of `places` lets the producer read one more chunk.
        DispatchQueue.global().async { places.add(()) }
        return service.perform(.uploadChunk(chunk)).then {
          receipts.add($0)
          return drain()
        }
      }
    }
    return ClosureTask.zip(
      ClosureTask(on: .global()) { try service.chunks(of: media) }.then(fill),
      ClosureTask.group(0..<uploaders) { _ in drain() }
    )
    .then { _ in
      service.createPost(post, receipts: receipts.all.sorted { $0.mediaIndex < $1.mediaIndex })
    }
    .perform(on: nil, then: completion)
  }
}

/// A queue that stores elements or, while it has none, the tasks that wait for elements.
private final class Line<Element: Sendable>: Sendable {
  private let state: Mutex<(elements: [Element], waiting: [ClosureTask<Element>.Controller])>

  init(_ elements: [Element] = []) { state = Mutex((elements, [])) }

  var all: [Element] { state.withLock { $0.elements } }

  func add(_ element: Element) {
    let first = state.withLock { state -> ClosureTask<Element>.Controller? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.elements.append(element)
      return nil
    }
    first?.finish(with: element)
  }

  var next: ClosureTask<Element> {
    ClosureTask { controller in
      let first = self.state.withLock { state -> Element? in
        guard state.elements.isEmpty else { return state.elements.removeFirst() }
        state.waiting.append(controller)
        return nil
      }
      if let first { controller.finish(with: first) }
    }
  }
}
