import RuntimeSupport
import Synchronization

/// A value that will be known later, or the error that took its place.
///
/// A future is completed exactly once: by its promise, by the future it was derived from, or by `cancel()`.
/// Everything on it may be called from any thread.
///
/// Each callback is called once, in order of registration, inline: on the thread that completes the future, or on the
/// registering thread if it is complete; or on a queue, if one is given. They never nest: what a callback completes is
/// delivered on the same thread when it has returned. So chains and recursions of any length run in constant stack.
///
/// `@unchecked Sendable`: see ``AnyFuture``; the value is written before the state that publishes it. `callback` belongs to the
/// taker of its slot until `isCallbackReady`, then to the delivering thread.
public class Future<Value: Sendable>: AnyFuture, @unchecked Sendable {
  /// The slot for the first callback, if that comes before any other observer.
  @exclusivity(unchecked) @usableFromInline final var callback:
    (@Sendable (Result<Value, any Error>) -> Void)?

  @inlinable override init(role: Role, step: @escaping Step) { super.init(role: role, step: step) }

  /// A future that is complete from the start.
  @inlinable public convenience init(value: Value) {
    self.init(role: .observer) { _, _ in .noWaiters }
    write(value)
    state.store(StateWord.answered, ordering: .releasing)
  }

  /// A future that has failed from the start.
  @inlinable public convenience init(error: any Error) {
    self.init(role: .observer) { _, _ in .noWaiters }
    write(error)
    state.store(StateWord.answered, ordering: .releasing)
  }

  /// A future that has the outcome of a result.
  @inlinable public convenience init(_ result: Result<Value, any Error>) {
    switch result {
    case .success(let value): self.init(value: value)
    case .failure(let error): self.init(error: error)
    }
  }

  deinit {
    if outcome == .value { storage.destroy(Value.self) }
  }

  /// The value of a future that has one.
  @inlinable final var storedValue: Value { storage.load(as: Value.self) }

  /// The outcome, once it is known.
  @inlinable public final var result: Result<Value, any Error>? { isComplete ? completedResult : nil }

  /// The outcome of a complete future.
  @inlinable @inline(__always) final var completedResult: Result<Value, any Error> {
    hasValue ? .success(storedValue) : .failure(completedError)
  }

  /// Stores a value as the outcome. Only for the producer, before it publishes.
  @inlinable final func write(_ value: Value) {
    storage.put(value)
    outcome = Storage.isTrivial(Value.self) ? .trivialValue : .value
  }

  /// Completes with a value if the future is not settled; else waits until it is complete.
  @inlinable @discardableResult final func succeed(_ value: Value) -> Bool {
    guard let old = claim() else {
      awaitCompletion()
      return false
    }
    write(value)
    publish(after: old)
    return true
  }

  /// Completes with the outcome of a result.
  @inlinable @discardableResult final func complete(with result: Result<Value, any Error>) -> Bool {
    switch result {
    case .success(let value): succeed(value)
    case .failure(let error): fail(error)
    }
  }

  /// Completes a node from its step. See `publishFromStep`.
  @inlinable final func succeedFromStep(_ value: Value) -> StateWord {
    write(value)
    return publishFromStep()
  }

  /// Completes a node from its step as `source` is complete.
  @inlinable final func adoptFromStep(_ source: Future<Value>) -> StateWord {
    source.hasValue ? succeedFromStep(source.storedValue) : failFromStep(source.completedError)
  }
}
