import Dispatch
import RuntimeTiming

extension ClosureTask {
  /// The tasks that the closure makes for items which are pulled one by one, at most `limit` at any moment; the values
  /// are in the order of the items.
  ///
  /// Items are pulled on the queue, ahead of their tasks into a buffer, until `next` returns nil; that waits while the
  /// buffer is full. So no more than `buffer + limit` items exist at any moment, the one being pulled included, however
  /// many there are; with a buffer of 0 the one being pulled comes on top. The first failure, of a pull or a task, is
  /// the outcome: tasks in flight are cancelled before the completion is called, which also waits for a pull under way.
  /// A limit below 1 and a buffer below 0 are programming errors. To be performed once, unless `next` begins anew.
  public static func group<Item: Sendable, Element>(
    pulling next: @escaping @Sendable () throws -> Item?, on queue: DispatchQueue, buffer: Int, limit: Int,
    _ makeTask: @escaping @Sendable (Item) throws -> ClosureTask<Element>
  ) -> ClosureTask where Output == [Element] {
    ClosureTask { controller in
      let part = PipelinePart<Item, Element>(
        Pipeline(
          buffer: buffer, limit: limit, on: queue, read: next,
          start: { item, completion in
            let run = try makeTask(item).perform(completion: completion)
            return { run.cancel() }
          },
          completion: { controller.complete(with: $0) }))
      if controller.setPart(part) { part.pipeline.begin() }
    }
  }
}

/// A pipeline that a run waits for.
///
/// `@unchecked Sendable`: immutable.
private final class PipelinePart<Item: Sendable, Element: Sendable>: TaskPart, @unchecked Sendable {
  let pipeline: Pipeline<Item, Element>

  init(_ pipeline: Pipeline<Item, Element>) {
    self.pipeline = pipeline
    super.init()
  }

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    let waiting = cancelled.take()
    pipeline.cancel { waiting.tell() }
    return nil
  }
}
