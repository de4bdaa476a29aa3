import RuntimeSupport

/// The object through which a task's closure reports its outcome.
///
/// Only the first `finish`, `fail` or cancellation counts; later calls return false. Any thread may call every method, even
/// after the closure has returned.
///
/// A controller that is released without an answer fails its run with ``ClosureTaskError/abandoned``, unless something else
/// retains the run: the handle that `perform` returned, or a group, a chain or a timeout, which cancel their parts. So a part
/// that never ends blocks the run that waits for it, unless a `timeout` sets a limit.
///
/// `@unchecked Sendable`: only the thread that ends the run touches `completion` and `parent`. `renew` writes `index` and
/// `parent` while only one thread refers to the object.
public final class TaskController<Output: Sendable>: TaskRun, @unchecked Sendable {
  /// The closure that is called once, on the thread that ends the run.
  public typealias Completion = @Sendable (Result<Output, any Error>) -> Void

  @exclusivity(unchecked) @usableFromInline var completion: Completion?
  /// The group that this run is a part of. Not retained, because the group retains itself until its last part has ended.
  @exclusivity(unchecked) @usableFromInline var parent: Unmanaged<PartReceiver<Output>>?
  @exclusivity(unchecked) @usableFromInline var index: Int

  @inlinable init(isPart: Bool, completion: consuming @escaping Completion) {
    self.completion = consume completion
    index = 0
    super.init(isPart: isPart)
  }

  /// Makes the controller of a group's task. A reference and an index take less memory than a closure that holds both.
  @inlinable init(parent: Unmanaged<PartReceiver<Output>>, index: Int) {
    self.parent = parent
    self.index = index
    super.init(isPart: true)
  }

  /// Reuses the controller of a group's ended task for another task of the group. Call it only if `hasLeftNothing`, on the only
  /// thread that refers to the controller.
  @inlinable func renew(parent: Unmanaged<PartReceiver<Output>>, index: Int) {
    self.parent = parent
    self.index = index
    beginAnew()
  }

  deinit {
    if !isEnded { fail(with: ClosureTaskError.abandoned) }
  }

  /// Ends the run with a value. The completion is called on this thread.
  @inlinable @discardableResult
  public func finish(with value: Output) -> Bool { complete(with: .success(value)) }

  /// Ends the run with an error. The completion is called on this thread.
  @inlinable @discardableResult
  public func fail(with error: any Error) -> Bool { complete(with: .failure(error)) }

  /// Ends the run with this result. The completion is called on this thread.
  @inlinable @discardableResult public func complete(with result: Result<Output, any Error>) -> Bool {
    guard let old = end(marking: Self.ended) else { return false }
    if old != 0 { dropHandlers(after: old) }
    deliver(result)
    return true
  }

  /// Ends the run with an error. Cancels `part`, which this run waits for, before the completion is called.
  func fail(with error: any Error, cancelling part: TaskRun) {
    guard let old = end(marking: Self.ended) else { return }
    dropHandlers(after: old)
    part.cancel { self.deliver(.failure(error)) }
  }

  /// Ends a run that has not begun, without reporting an outcome.
  @inlinable func drop() { _ = end(marking: Self.ended) }

  /// Passes the outcome to the group or the completion, on this thread.
  @inlinable func deliver(_ result: Result<Output, any Error>) {
    if let parent {
      self.parent = nil
      parent._withUnsafeGuaranteedRef { $0.receive(parent, index, result) }
      // `take()` would pass the closure as a generic value, and so allocate a wrapper.
    } else if let completion {
      self.completion = nil
      if !isPart { return completion(result) }
      let steps = Nesting.current(.steps)
      if steps.enter() {
        completion(result)
        steps.leave()
      } else {
        steps.later { completion(result) }
      }
    }
  }

  override func complete(cancellation: CancellationError) { deliver(.failure(cancellation)) }
}

/// A group, as its tasks' controllers see it. `@unchecked Sendable`: this class adds only a constant.
@usableFromInline class PartReceiver<Element: Sendable>: TaskPart, @unchecked Sendable {
  @usableFromInline typealias PartResult = Result<Element, any Error>

  /// Passes a task's outcome to the group, which may be freed in the call. A closure without captures, because the compiler
  /// does not specialise methods of generic classes.
  @usableFromInline let receive: @Sendable (Unmanaged<PartReceiver>, _ index: Int, PartResult) -> Void

  @inlinable
  init(_ receive: @escaping @Sendable (Unmanaged<PartReceiver>, _ index: Int, PartResult) -> Void) {
    self.receive = receive
    super.init()
  }
}

extension TaskController<Void> {
  /// Ends the run. The completion is called on this thread.
  @discardableResult public func finish() -> Bool { finish(with: ()) }
}
