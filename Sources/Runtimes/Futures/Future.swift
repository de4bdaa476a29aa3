import Synchronization

/// A value that will be known later, or the error that took its place.
///
/// A future is completed exactly once: by its promise, by the future it was derived from, or by `cancel()`.
/// Everything on it may be called from any thread.
///
/// Callbacks are called once, inline: on the thread that completes the future, or on the registering thread
/// if the future is already complete; pass a queue to be called there instead. They never nest: what a
/// callback completes, or registers on a complete future, is delivered on the same thread when the callback
/// has returned. So chains and recursions of any length run in constant stack. Callbacks of one future are
/// called in order of registration (a cancellation that withdraws other observers may reorder them).
///
/// `@unchecked Sendable`: see ``AnyFuture``; the value is written before the state that announces it.
public class Future<Value: Sendable>: AnyFuture, @unchecked Sendable {
  // Raw words rather than `Value?`: the deinitialiser of a generic class is not specialised and would look up
  // the metadata of `Optional<Value>` each time, which costs as much as the allocation.
  @exclusivity(unchecked) @usableFromInline final var storage = ValueStorage()
  @exclusivity(unchecked) @usableFromInline final var callback:
    (@Sendable (Result<Value, any Error>) -> Void)?

  @inlinable
  override init(isPassive: Bool = false, step: @escaping Step) {
    super.init(isPassive: isPassive, step: step)
  }

  /// A future that a promise or a combination completes, never a single upstream.
  @inlinable
  init() { super.init(step: { _, _ in false }) }

  /// A future that is complete from the start.
  @inlinable
  public convenience init(value: Value) {
    self.init()
    storage.initialize(to: value)
    hasValue = true
    state.store(StateWord.answered, ordering: .releasing)
  }

  /// A future that has failed from the start.
  @inlinable
  public convenience init(error: any Error) {
    self.init()
    self.error = error
    state.store(StateWord.answered, ordering: .releasing)
  }

  /// A future that has the outcome of a result.
  @inlinable
  public convenience init(_ result: Result<Value, any Error>) {
    switch result {
    case .success(let value): self.init(value: value)
    case .failure(let error): self.init(error: error)
    }
  }

  deinit {
    if hasValue { storage.deinitialize(as: Value.self) }
  }

  /// The value of a future that has one.
  @inlinable
  final var storedValue: Value { storage.load(as: Value.self) }

  /// The outcome, once it is known.
  @inlinable
  public final var result: Result<Value, any Error>? {
    isComplete ? completedResult : nil
  }

  /// The outcome of a complete future.
  @inlinable
  final var completedResult: Result<Value, any Error> {
    if let failure { .failure(failure) } else { .success(storedValue) }
  }

  /// Completes with a value if nobody has completed or claimed the future yet.
  @inlinable
  @discardableResult
  final func succeed(_ value: Value) -> Bool {
    guard claim() else { return false }
    storage.initialize(to: value)
    hasValue = true
    publish()
    return true
  }

  /// Completes a node from its step. See `publishFromStep`.
  @inlinable
  final func succeedFromStep(_ value: Value) -> Bool {
    storage.initialize(to: value)
    hasValue = true
    return publishFromStep()
  }

  /// Completes a node from its step as `source` is complete.
  @inlinable
  final func adoptFromStep(_ source: Future<Value>) -> Bool {
    if let failure = source.failure { return failFromStep(failure) }
    return succeedFromStep(source.storedValue)
  }
}

extension AnyFuture {
  /// The error of a complete future, nil if it has a value.
  @inlinable
  final var failure: (any Error)? {
    if let error { return error }
    return state.load(ordering: .relaxed) == StateWord.cancelled ? CancellationError() : nil
  }

  /// Completes with an error if nobody has completed or claimed the future yet.
  @inlinable
  @discardableResult
  final func fail(_ error: any Error) -> Bool {
    guard claim() else { return false }
    self.error = error
    publish()
    return true
  }
}
