import Dispatch
import RuntimeTiming

extension Future {
  /// All values of the futures that `start` makes for items which are pulled one by one, at most `limit` at any moment;
  /// the values are in the order of the items.
  ///
  /// Items are pulled on the queue, ahead of their futures into a buffer, until `next` returns nil; that waits while the
  /// buffer is full. So no more than `buffer + limit` items exist at any moment, the one being pulled included, however
  /// many there are; with a buffer of 0 the one being pulled comes on top. The first failure, of a pull or a future, is
  /// the outcome: it cancels what is in flight, and waits for a pull under way. A limit below 1 and a buffer below 0
  /// are programming errors.
  public static func all<Item: Sendable, Element>(
    pulling next: @escaping @Sendable () throws -> Item?, on queue: DispatchQueue, buffer: Int, limit: Int,
    _ start: @escaping @Sendable (Item) throws -> Future<Element>
  ) -> Future<[Element]> where Value == [Element] {
    let future = PipelineFuture<Item, Element>()
    let pipeline = Pipeline<Item, Element>(
      buffer: buffer, limit: limit, on: queue, read: next,
      start: { item, completion in
        let element = try start(item)
        element.whenComplete(completion)
        return { element.cancel() }
      },
      completion: { future.complete(with: $0) })
    future.pipeline = pipeline
    pipeline.begin()
    return future
  }
}

/// The future of what a pipeline comes to.
///
/// `@unchecked Sendable`: `pipeline` is written before anybody else sees the future. The two refer to each other until
/// the pipeline ends.
private final class PipelineFuture<Item: Sendable, Element: Sendable>: Future<[Element]>,
  @unchecked Sendable
{
  @exclusivity(unchecked) fileprivate var pipeline: Pipeline<Item, Element>?

  init() {
    super.init(role: .promised) { node, _ in
      unsafeDowncast(node, to: Future<[Element]>.self).runCallback()
    }
  }

  func complete(with result: Result<[Element], any Error>) {
    switch result {
    case .success(let values): succeed(values)
    case .failure(let error): fail(error)
    }
  }

  override func cancelSources(thenTell told: TellingList) -> Bool {
    guard let pipeline else { return false }
    pipeline.cancel { told.deliver() }
    return true
  }
}
