import RuntimeSupport
import Synchronization

/// A value that will be known later, or an error.
///
/// A future is completed exactly once: by its promise, by the future it was derived from, or by `cancel()`. Any thread may call
/// its methods.
///
/// Callbacks run once, in order of registration, on the thread that completes the future or, if it is complete, on the
/// registering thread. They never nest: if a callback completes a future, that future's callbacks run after it has returned. So
/// chains of any length run in constant stack.
///
/// `@unchecked Sendable`: see ``AnyFuture``. The value is written before the state that publishes it. `callback` belongs to the
/// thread that has set `StateWord.callback` until `isCallbackReady` is set, then to the thread that delivers the outcome.
public class Future<Value: Sendable>: AnyFuture, @unchecked Sendable {
  /// The first callback, if it is registered before any other observer.
  @exclusivity(unchecked) @usableFromInline final var callback:
    (@Sendable (Result<Value, any Error>) -> Void)?

  @inlinable override init(role: Role, step: @escaping Step) { super.init(role: role, step: step) }

  /// Creates a future that has succeeded.
  @inlinable public convenience init(value: Value) {
    self.init(role: .observer) { _, _ in .noWaiters }
    write(value)
    state.store(StateWord.answered, ordering: .releasing)
  }

  /// Creates a future that has failed.
  @inlinable public convenience init(error: any Error) {
    self.init(role: .observer) { _, _ in .noWaiters }
    write(error)
    state.store(StateWord.answered, ordering: .releasing)
  }

  /// Creates a future that is complete with a result.
  @inlinable public convenience init(_ result: Result<Value, any Error>) {
    switch result {
    case .success(let value): self.init(value: value)
    case .failure(let error): self.init(error: error)
    }
  }

  deinit {
    if outcome == .value { storage.destroy(Value.self) }
  }

  @inlinable final var storedValue: Value { storage.load(as: Value.self) }

  /// The outcome. `nil` until it is known.
  @inlinable public final var result: Result<Value, any Error>? { isComplete ? completedResult : nil }

  @inlinable @inline(__always) final var completedResult: Result<Value, any Error> {
    hasValue ? .success(storedValue) : .failure(completedError)
  }

  /// Stores a value as the outcome. The caller must then call `publish`, or in a future's `step` `publishFromStep`.
  @inlinable final func write(_ value: Value) {
    storage.put(value)
    outcome = Storage.isTrivial(Value.self) ? .trivialValue : .value
  }

  /// Completes the future with a value. If another thread is completing it, waits for that thread and returns false.
  @inlinable @discardableResult final func succeed(_ value: Value) -> Bool {
    guard let old = claim() else {
      awaitCompletion()
      return false
    }
    write(value)
    publish(after: old)
    return true
  }

  @inlinable @discardableResult final func complete(with result: Result<Value, any Error>) -> Bool {
    switch result {
    case .success(let value): succeed(value)
    case .failure(let error): fail(error)
    }
  }

  @inlinable final func succeedFromStep(_ value: Value) -> StateWord {
    write(value)
    return publishFromStep()
  }

  /// Completes this future with the outcome of its complete `source`. Only the step, the reaction to the source, calls this.
  @inlinable final func adoptFromStep(_ source: Future<Value>) -> StateWord {
    source.hasValue ? succeedFromStep(source.storedValue) : failFromStep(source.completedError)
  }
}
