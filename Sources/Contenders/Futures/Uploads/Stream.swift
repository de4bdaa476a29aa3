import Dispatch
import Futures
import Synchronization
import UploadScenario

extension FutureUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let places = Line<Void>(Array(repeating: (), count: max(1, buffer)))
    let chunks = Line<Chunk?>()
    let receipts = Line<Receipt>()
    @Sendable func fill(from reader: ChunkReader) -> Future<Void> {
      places.next().flatMap {
        let chunk = try reader.next()
        chunks.add(chunk)
        return chunk == nil ? Future(value: ()) : fill(from: reader)
      }
    }
    @Sendable func drain() -> Future<Void> {
      chunks.next().flatMap { chunk in
        guard let chunk else {
          // The `nil` that marks the end is added again, because each of the other uploaders must receive it, too.
          chunks.add(nil)
          return Future(value: ())
        }
        // Each element of `places` lets the producer read one more chunk.
        DispatchQueue.global().async { places.add(()) }
        return service.perform(.uploadChunk(chunk)).flatMap {
          receipts.add($0)
          return drain()
        }
      }
    }
    return Future.zip(
      DispatchQueue.global().future { try service.chunks(of: media) }.flatMap(on: .global(), fill),
      Future.all(0..<uploaders) { _ in drain() }
    )
    .flatMap { _ in
      service.createPost(post, receipts: receipts.all.sorted { $0.mediaIndex < $1.mediaIndex })
    }
    .report(to: completion)
  }
}

/// A queue that stores elements or, while it has none, the promises that wait for elements.
private final class Line<Element: Sendable>: Sendable {
  private let state: Mutex<(elements: [Element], waiting: [Promise<Element>])>

  init(_ elements: [Element] = []) { state = Mutex((elements, [])) }

  var all: [Element] { state.withLock { $0.elements } }

  func add(_ element: Element) {
    let first = state.withLock { state -> Promise<Element>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.elements.append(element)
      return nil
    }
    first?.succeed(element)
  }

  func next() -> Future<Element> {
    state.withLock { state in
      guard state.elements.isEmpty else { return Future(value: state.elements.removeFirst()) }
      let promise = Promise<Element>()
      state.waiting.append(promise)
      return promise.future
    }
  }
}
