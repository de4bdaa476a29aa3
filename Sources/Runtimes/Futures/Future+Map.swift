import Dispatch
import Synchronization

extension Future {
  /// A future of the transformed value. It fails if this future fails or `transform` throws.
  @inlinable public final func map<NewValue>(
    _ transform: consuming @escaping @Sendable (Value) throws -> NewValue
  ) -> Future<NewValue> {
    derive(
      TransformNode<Value, NewValue>(consume transform) { node, source in
        let node = unsafeDowncast(node, to: TransformNode<Value, NewValue>.self)
        if node === source { return node.runCallback() }
        guard let transform = node.begin() else { return .noWaiters }
        guard source.hasValue else { return node.failFromStep(source.completedError) }
        do {
          return node.succeedFromStep(
            try transform(unsafeDowncast(source, to: Future<Value>.self).storedValue))
        } catch {
          return node.failFromStep(error)
        }
      })
  }

  /// A future whose error is replaced by a value, or by the error that `transform` throws. `transform` is not called if the
  /// returned future is cancelled: put cleanup into `ensure`.
  @inlinable public final func recover(
    _ transform: consuming @escaping @Sendable (any Error) throws -> Value
  ) -> Future {
    derive(
      TransformNode<any Error, Value>(consume transform) { node, source in
        let node = unsafeDowncast(node, to: TransformNode<any Error, Value>.self)
        if node === source { return node.runCallback() }
        guard let transform = node.begin() else { return .noWaiters }
        guard let failure = source.failure else {
          return node.adoptFromStep(unsafeDowncast(source, to: Future<Value>.self))
        }
        do { return node.succeedFromStep(try transform(failure)) } catch {
          return node.failFromStep(error)
        }
      })
  }

  /// Makes a new future, the `node`, wait for this one.
  @inlinable final func derive<NewValue>(_ node: __owned Future<NewValue>) -> Future<NewValue> {
    node.source.store(address, ordering: .relaxed)
    connect(node)
    return node
  }
}

/// A future whose value is the result of the caller's function for the source's value, or for the source's error.
///
/// `@unchecked Sendable`: only the step touches `transform`, or the thread that has removed this future from its source's list.
@usableFromInline final class TransformNode<Input, Output: Sendable>: Future<Output>, @unchecked Sendable {
  @usableFromInline typealias Transform = @Sendable (Input) throws -> Output
  @exclusivity(unchecked) @usableFromInline var transform: Transform?

  @inlinable init(_ transform: @escaping Transform, step: @escaping Step) {
    self.transform = transform
    super.init(role: .observer, step: step)
  }

  /// Takes the caller's function, so that its captures are released after the call. `nil` if this future is already cancelled.
  @inlinable func begin() -> Transform? {
    let transform = self.transform
    self.transform = nil
    return isOpenForStep ? transform : nil
  }

  @usableFromInline override func forgetStep() { transform = nil }
}

extension Future {
  /// A future of the outcome of `next`, which starts more asynchronous work with this future's value.
  ///
  /// Cancelling the returned future cancels the work that is running. A recursive function that returns a `flatMap` needs
  /// constant stack and, unless the futures are retained elsewhere, constant memory.
  @inlinable public final func flatMap<NewValue>(
    _ next: consuming @escaping @Sendable (Value) throws -> Future<NewValue>
  ) -> Future<NewValue> {
    derive(
      FlatMapNode<Value, NewValue>(consume next) { node, source in
        let node = unsafeDowncast(node, to: FlatMapNode<Value, NewValue>.self)
        if node === source { return node.runCallback() }
        return node.isStarted ? node.finish(source) : Self.nextStep(node, source)
      })
  }

  /// A future of the outcome of `next`, which starts more asynchronous work on a queue with this future's value.
  @inlinable public final func flatMap<NewValue>(
    on queue: DispatchQueue, _ next: consuming @escaping @Sendable (Value) throws -> Future<NewValue>
  ) -> Future<NewValue> {
    derive(
      FlatMapNode<Value, NewValue>(consume next) { node, source in
        let followed = unsafeDowncast(node, to: FlatMapNode<Value, NewValue>.self)
        if node === source { return followed.runCallback() }
        if followed.isStarted { return followed.finish(source) }
        let reference = Unmanaged.passUnretained(node)
        queue.async {
          reference.runStep { node in
            Self.nextStep(unsafeDowncast(node, to: FlatMapNode<Value, NewValue>.self), source)
          }
        }
        return .referenceKept
      })
  }

  @inlinable
  static func nextStep<NewValue>(_ node: FlatMapNode<Value, NewValue>, _ source: AnyFuture) -> StateWord {
    guard let next = node.begin() else { return .noWaiters }
    guard source.hasValue else { return node.pass(source) }
    return node.follow(next, unsafeDowncast(source, to: Future<Value>.self).storedValue, after: source)
  }

  /// A future whose error is replaced by the outcome of `next`. `next` is not called if the returned future is cancelled: put
  /// cleanup into `ensure`.
  @inlinable public final func flatMapError(
    _ next: consuming @escaping @Sendable (any Error) throws -> Future
  ) -> Future {
    derive(
      FlatMapNode<any Error, Value>(consume next) { node, source in
        let node = unsafeDowncast(node, to: FlatMapNode<any Error, Value>.self)
        if node === source { return node.runCallback() }
        if node.isStarted { return node.finish(source) }
        guard let next = node.begin() else { return .noWaiters }
        guard let failure = source.failure else { return node.pass(source) }
        return node.follow(next, failure, after: source)
      })
  }
}

/// A future that first waits for its source, then for the future that the caller's function returns.
///
/// `@unchecked Sendable`: `function` belongs to the step or the cancelling thread, whichever sets its bit of `starting` first.
/// `leftToStep` belongs to the cancelling thread until `reachedByStep` says that the step is running, then to the step.
@usableFromInline final class FlatMapNode<Input, Output: Sendable>: Future<Output>, @unchecked Sendable {
  @usableFromInline typealias Next = @Sendable (Input) throws -> Future<Output>

  @exclusivity(unchecked) @usableFromInline var function: Next?
  @exclusivity(unchecked) private var leftToStep: PendingDeliveries?

  @inlinable init(_ function: @escaping Next, step: @escaping Step) {
    self.function = function
    super.init(role: .chaining, step: step)
  }

  /// Takes the caller's function, so that its captures are released after the call. `nil` if this future is already cancelled.
  @inlinable func begin() -> Next? {
    guard beginStarting() else { return nil }
    let function = self.function
    self.function = nil
    if isOpenForStep { return function }
    endStarting()?.deliver()
    return nil
  }

  /// Completes this future with the source's outcome, without calling the function.
  @inlinable func pass(_ source: AnyFuture) -> StateWord {
    endStarting()?.deliver()
    return source.hasValue ? finish(source) : failFromStep(source.completedError)
  }

  /// Calls the function and makes this future wait for the one that it returns.
  @inlinable func follow(_ function: Next, _ input: Input, after source: AnyFuture) -> StateWord {
    do {
      let inner = try function(input)
      if inner === self { throw FutureError.waitsForItself }
      guard inner.isComplete else { return wait(for: inner, after: source) }
      endStarting()?.deliver()
      return finish(inner)
    } catch {
      endStarting()?.deliver()
      return failFromStep(error)
    }
  }

  override func cancelSources(thenDeliver deliveries: PendingDeliveries) -> Bool {
    leftToStep = deliveries
    let reached = reachedByStep()
    if reached == .starting { return true }
    leftToStep = nil
    if reached == .notBegun { function = nil }
    return false
  }

  override func takeLeftToStep() -> PendingDeliveries? {
    defer { leftToStep = nil }
    return leftToStep
  }

  @inlinable func finish(_ source: AnyFuture) -> StateWord {
    adoptFromStep(unsafeDowncast(source, to: Future<Output>.self))
  }
}
