/// What a task's closure is given to say how it went.
///
/// The first `finish` or `fail` (or a cancellation) counts; later ones are ignored and return false. Every
/// method may be called from any thread, also after the closure has returned.
///
/// A controller that is let go without an answer fails its run with ``ClosureTaskError/abandoned``, as soon as
/// nobody else holds the run either: the caller of `perform` does while it keeps the handle, and a group does
/// for its parts, so a part that is never ended keeps its group waiting.
///
/// `@unchecked Sendable`: `completion` and `parent` are only touched by the thread that ends the run.
public final class TaskController<Output: Sendable>: TaskRun, @unchecked Sendable {
  public typealias Completion = @Sendable (Result<Output, any Error>) -> Void
  /// Takes the outcome of a child to the run that it is part of.
  @usableFromInline typealias Deliver =
    @Sendable (
      _ parent: AnyObject, _ index: Int, _ result: Result<Output, any Error>
    ) -> Void

  @exclusivity(unchecked) @usableFromInline var completion: Completion?
  @exclusivity(unchecked) @usableFromInline var parent: AnyObject?
  @usableFromInline let deliver: Deliver?
  @usableFromInline let index: Int
  @usableFromInline let progressHandler: (@Sendable (Double) -> Void)?

  @inlinable
  init(progressHandler: (@Sendable (Double) -> Void)?, completion: @escaping Completion) {
    self.completion = completion
    self.progressHandler = progressHandler
    deliver = nil
    index = 0
    super.init()
  }

  /// The controller of a part: a stored function and an index cost less than a closure that holds both.
  @inlinable
  init(parent: AnyObject, index: Int, deliver: @escaping Deliver) {
    self.parent = parent
    self.index = index
    self.deliver = deliver
    progressHandler = nil
    super.init()
  }

  deinit {
    if !isEnded { fail(with: ClosureTaskError.abandoned) }
  }

  /// Ends the run with a value. The completion is called on this thread.
  @inlinable
  @discardableResult
  public func finish(with value: Output) -> Bool { complete(with: .success(value)) }

  /// Ends the run with an error. The completion is called on this thread.
  @inlinable
  @discardableResult
  public func fail(with error: any Error) -> Bool { complete(with: .failure(error)) }

  /// Ends the run with the outcome of a result. The completion is called on this thread.
  @inlinable
  @discardableResult
  public func complete(with result: Result<Output, any Error>) -> Bool {
    guard let old = end(marking: Self.ended) else { return false }
    if old & Self.handlerReady != 0 { cancelHandler = nil }
    tell(result)
    return true
  }

  /// Says how much is done, from 0 to 1. Ignored after the end.
  public func report(progress fraction: Double) {
    if !isEnded { progressHandler?(min(max(fraction, 0), 1)) }
  }

  @inlinable
  func tell(_ result: Result<Output, any Error>) {
    // Not `take()`: passing a closure as a generic value wraps it in a thunk that is allocated.
    if let deliver {
      let parent = self.parent
      self.parent = nil
      deliver(parent.unsafelyUnwrapped, index, result)
    } else {
      let completion = self.completion
      self.completion = nil
      completion.unsafelyUnwrapped(result)
    }
  }

  override func complete(cancellation: CancellationError) { tell(.failure(cancellation)) }
}

extension TaskController<Void> {
  /// Ends the run. The completion is called on this thread.
  @discardableResult
  public func finish() -> Bool { finish(with: ()) }
}
