import Dispatch
import Synchronization

extension Future {
  /// The value, transformed; a thrown error or a failure is passed on.
  @inlinable
  public final func map<NewValue>(
    _ transform: consuming @escaping @Sendable (Value) throws -> NewValue
  ) -> Future<NewValue> {
    derive(
      TransformNode<Value, NewValue>(consume transform) { node, source in
        let node = unsafeDowncast(node, to: TransformNode<Value, NewValue>.self)
        return node === source ? node.runCallback() : Self.transformStep(node, source)
      })
  }

  /// The value, transformed on a queue.
  @inlinable
  public final func map<NewValue>(
    on queue: DispatchQueue, _ transform: consuming @escaping @Sendable (Value) throws -> NewValue
  ) -> Future<NewValue> {
    derive(
      TransformNode<Value, NewValue>(consume transform) { node, source in
        let node = unsafeDowncast(node, to: TransformNode<Value, NewValue>.self)
        if node === source { return node.runCallback() }
        queue.async { node.deliver(Self.transformStep(node, source)) }
        return .nobody
      })
  }

  @inlinable
  static func transformStep<NewValue>(
    _ node: TransformNode<Value, NewValue>, _ source: AnyFuture
  ) -> StateWord {
    guard let transform = node.begin() else { return .nobody }
    guard source.hasValue else { return node.failFromStep(source.completedError) }
    do {
      return node.succeedFromStep(
        try transform(unsafeDowncast(source, to: Future<Value>.self).storedValue))
    } catch {
      return node.failFromStep(error)
    }
  }

  /// A value in place of the error; an error thrown here takes its place. Not called if the returned future is cancelled: see
  /// `ensure`.
  @inlinable
  public final func recover(
    _ transform: consuming @escaping @Sendable (any Error) throws -> Value
  ) -> Future {
    derive(
      TransformNode<any Error, Value>(consume transform) { node, source in
        let node = unsafeDowncast(node, to: TransformNode<any Error, Value>.self)
        if node === source { return node.runCallback() }
        guard let transform = node.begin() else { return .nobody }
        guard let failure = source.failure else {
          return node.adoptFromStep(unsafeDowncast(source, to: Future<Value>.self))
        }
        do { return node.succeedFromStep(try transform(failure)) } catch {
          return node.failFromStep(error)
        }
      })
  }

  /// Registers a new node that has this future as its source.
  @inlinable
  final func derive<NewValue>(_ node: __owned Future<NewValue>) -> Future<NewValue> {
    node.source.store(address, ordering: .relaxed)
    connect(node)
    return node
  }
}

/// A future whose value comes from one source through a function of the user's.
///
/// `@unchecked Sendable`: only the node's step touches `transform`, or who has taken the node from where that is found.
@usableFromInline
final class TransformNode<Input, Output: Sendable>: Future<Output>, @unchecked Sendable {
  @usableFromInline typealias Transform = @Sendable (Input) throws -> Output
  @exclusivity(unchecked) @usableFromInline var transform: Transform?

  @inlinable
  init(_ transform: @escaping Transform, step: @escaping Step) {
    self.transform = transform
    super.init(role: .observer, step: step)
  }

  /// Takes the function, so that what it holds goes with the step. Nil if the node was cancelled before.
  @inlinable
  func begin() -> Transform? {
    let transform = self.transform
    self.transform = nil
    return isOpenForStep ? transform : nil
  }

  @usableFromInline
  override func forgetStep() { transform = nil }
}
