import RuntimeSupport

/// Through which a task's closure reports its outcome.
///
/// The first `finish` or `fail` (or a cancellation) counts; later ones return false. Every method may be called from any
/// thread, also after the closure has returned.
///
/// A controller that is released without an answer fails its run with ``ClosureTaskError/abandoned``, unless something else
/// keeps the run: the handle that `perform` returned, or a group, a chain or a timeout, which cancel their parts. So a part
/// that is never ended blocks the whole, unless a `timeout` sets a limit.
///
/// `@unchecked Sendable`: `completion` and `parent` are only touched by the thread that ends the run; `index` and
/// `parent` by `renew`, when one thread alone knows the object.
public final class TaskController<Output: Sendable>: TaskRun, @unchecked Sendable {
  /// Called once, on the thread that ends the run.
  public typealias Completion = @Sendable (Result<Output, any Error>) -> Void

  @exclusivity(unchecked) @usableFromInline var completion: Completion?
  /// The group that this run is a part of. Not retained: a group keeps itself until its last part has ended.
  @exclusivity(unchecked) @usableFromInline var parent: Unmanaged<PartReceiver<Output>>?
  @exclusivity(unchecked) @usableFromInline var index: Int

  @inlinable init(isPart: Bool, completion: consuming @escaping Completion) {
    self.completion = consume completion
    index = 0
    super.init(isPart: isPart)
  }

  /// The controller of a group's part: a reference and an index cost less than a closure that holds both.
  @inlinable init(parent: Unmanaged<PartReceiver<Output>>, index: Int) {
    self.parent = parent
    self.index = index
    super.init(isPart: true)
  }

  /// Reuses the controller of a part that has ended for another part of the same group. Only for a thread that alone refers to
  /// it, if it has left nothing.
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

  /// Ends the run with the outcome of a result. The completion is called on this thread.
  @inlinable @discardableResult public func complete(with result: Result<Output, any Error>) -> Bool {
    guard let old = end(marking: Self.ended) else { return false }
    if old != 0 { dropHandlers(after: old) }
    deliver(result)
    return true
  }

  /// Ends the run with an error, and cancels a part of it before the completion is called.
  func fail(with error: any Error, cancelling part: TaskRun) {
    guard let old = end(marking: Self.ended) else { return }
    dropHandlers(after: old)
    part.cancel { self.deliver(.failure(error)) }
  }

  /// Ends a part that has not begun, without an outcome.
  @inlinable func drop() { _ = end(marking: Self.ended) }

  /// Gives the outcome to the group or the completion, on this thread.
  @inlinable func deliver(_ result: Result<Output, any Error>) {
    if let parent {
      self.parent = nil
      parent._withUnsafeGuaranteedRef { $0.receive(parent, index, result) }
      // Not `take()`: passing a closure as a generic value wraps it in a thunk that is allocated.
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

/// A group, as its parts refer to it.
///
/// `@unchecked Sendable`: what it adds to `TaskPart` is a constant.
@usableFromInline class PartReceiver<Element: Sendable>: TaskPart, @unchecked Sendable {
  @usableFromInline typealias PartResult = Result<Element, any Error>

  /// Takes the outcome of a part to the group, which may be freed by that. A stored function without captures: methods of
  /// generic classes are not specialised.
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
