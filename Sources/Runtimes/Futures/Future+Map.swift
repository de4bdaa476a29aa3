import Dispatch

extension Future {
  /// The value, transformed; a thrown error or a failure is passed on.
  @inlinable
  public final func map<NewValue>(
    _ transform: @escaping @Sendable (Value) throws -> NewValue
  ) -> Future<NewValue> {
    derive(
      TransformNode<Value, NewValue>(transform) { node, source in
        Self.transformStep(unsafeDowncast(node, to: TransformNode<Value, NewValue>.self), source)
      })
  }

  /// The value, transformed on a queue.
  @inlinable
  public final func map<NewValue>(
    on queue: DispatchQueue, _ transform: @escaping @Sendable (Value) throws -> NewValue
  ) -> Future<NewValue> {
    derive(
      TransformNode<Value, NewValue>(transform) { node, source in
        queue.async {
          let node = unsafeDowncast(node, to: TransformNode<Value, NewValue>.self)
          if Self.transformStep(node, source) { node.deliver() }
        }
        return false
      })
  }

  @inlinable
  static func transformStep<NewValue>(_ node: TransformNode<Value, NewValue>, _ source: AnyFuture) -> Bool {
    guard let transform = node.begin() else { return false }
    if let failure = source.failure { return node.failFromStep(failure) }
    do {
      return node.succeedFromStep(try transform(unsafeDowncast(source, to: Future<Value>.self).storedValue))
    } catch {
      return node.failFromStep(error)
    }
  }

  /// A value in place of the error; an error thrown here takes its place.
  @inlinable
  public final func recover(_ transform: @escaping @Sendable (any Error) throws -> Value) -> Future {
    derive(
      TransformNode<any Error, Value>(transform) { node, source in
        let node = unsafeDowncast(node, to: TransformNode<any Error, Value>.self)
        guard let transform = node.begin() else { return false }
        guard let failure = source.failure else {
          return node.adoptFromStep(unsafeDowncast(source, to: Future<Value>.self))
        }
        do { return node.succeedFromStep(try transform(failure)) } catch { return node.failFromStep(error) }
      })
  }

  /// Runs the body once the outcome is known, before those who wait for the returned future learn of it.
  ///
  /// The body also runs if the returned future is cancelled: when this future completes.
  @inlinable
  public final func ensure(_ body: @escaping @Sendable () -> Void) -> Future {
    derive(
      EnsureNode<Value>(body) { node, source in
        let node = unsafeDowncast(node, to: EnsureNode<Value>.self)
        let body = node.body
        node.body = nil
        body?()
        return node.adoptFromStep(unsafeDowncast(source, to: Future<Value>.self))
      })
  }

  /// Registers a new node that has this future as its upstream.
  @inlinable
  final func derive<NewValue>(_ node: Future<NewValue>) -> Future<NewValue> {
    node.upstream = self
    connect(node)
    return node
  }
}

/// A future whose value comes from one upstream through a function of the user's.
@usableFromInline
final class TransformNode<Input, Output: Sendable>: Future<Output>, @unchecked Sendable {
  @usableFromInline typealias Transform = @Sendable (Input) throws -> Output
  /// Only the node's step touches it.
  @exclusivity(unchecked) @usableFromInline var transform: Transform?

  @inlinable
  init(_ transform: @escaping Transform, step: @escaping Step) {
    self.transform = transform
    super.init(step: step)
  }

  /// Takes the function, so that what it holds goes with the step. Nil if the node was cancelled before.
  @inlinable
  func begin() -> Transform? {
    let transform = self.transform
    self.transform = nil
    return isComplete ? nil : transform
  }
}

@usableFromInline
final class EnsureNode<Value: Sendable>: Future<Value>, @unchecked Sendable {
  /// Only the node's step touches it.
  @exclusivity(unchecked) @usableFromInline var body: (@Sendable () -> Void)?

  @inlinable
  init(_ body: @escaping @Sendable () -> Void, step: @escaping Step) {
    self.body = body
    super.init(isPassive: false, step: step)
  }
}
