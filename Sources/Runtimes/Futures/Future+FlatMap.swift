import Dispatch
import Synchronization

extension Future {
  /// The next piece of asynchronous work, started with this one's value; the outcome is the next one's.
  ///
  /// Cancelling the returned future cancels whichever of the two is running.
  @inlinable
  public final func flatMap<NewValue>(
    _ next: @escaping @Sendable (Value) throws -> Future<NewValue>
  ) -> Future<NewValue> {
    derive(
      FlatMapNode<Value, NewValue>(next) { node, source in
        let node = unsafeDowncast(node, to: FlatMapNode<Value, NewValue>.self)
        return node.isFollowing ? node.finish(source) : Self.nextStep(node, source)
      })
  }

  /// `flatMap` under the name that promises have for it.
  @inlinable
  public final func then<NewValue>(
    _ next: @escaping @Sendable (Value) throws -> Future<NewValue>
  ) -> Future<NewValue> { flatMap(next) }

  /// The next piece of asynchronous work, started on a queue with this one's value.
  @inlinable
  public final func flatMap<NewValue>(
    on queue: DispatchQueue, _ next: @escaping @Sendable (Value) throws -> Future<NewValue>
  ) -> Future<NewValue> {
    derive(
      FlatMapNode<Value, NewValue>(next) { node, source in
        let node = unsafeDowncast(node, to: FlatMapNode<Value, NewValue>.self)
        if node.isFollowing { return node.finish(source) }
        queue.async { if Self.nextStep(node, source) { node.deliver() } }
        return false
      })
  }

  @inlinable
  static func nextStep<NewValue>(_ node: FlatMapNode<Value, NewValue>, _ source: AnyFuture) -> Bool {
    guard let next = node.begin() else { return false }
    if let failure = source.failure { return node.failFromStep(failure) }
    return node.follow(next, unsafeDowncast(source, to: Future<Value>.self).storedValue)
  }

  /// Other asynchronous work in place of a failure.
  @inlinable
  public final func flatMapError(_ next: @escaping @Sendable (any Error) throws -> Future) -> Future {
    derive(
      FlatMapNode<any Error, Value>(next) { node, source in
        let node = unsafeDowncast(node, to: FlatMapNode<any Error, Value>.self)
        if node.isFollowing { return node.finish(source) }
        guard let next = node.begin() else { return false }
        guard let failure = source.failure else { return node.finish(source) }
        return node.follow(next, failure)
      })
  }
}

/// A future that first waits for its upstream, then for the one that the function returns.
@usableFromInline
final class FlatMapNode<Input, Output: Sendable>: Future<Output>, @unchecked Sendable {
  @usableFromInline typealias Next = @Sendable (Input) throws -> Future<Output>

  /// Nil from the first step on. Only the node's steps touch it.
  @exclusivity(unchecked) @usableFromInline var function: Next?
  /// The future that is being followed, retained; 0 before and after; `withdrawn` once the node is cancelled.
  @usableFromInline let followed = Atomic<UInt>(0)
  @usableFromInline static var withdrawn: UInt { 1 }

  @inlinable
  init(_ function: @escaping Next, step: @escaping Step) {
    self.function = function
    super.init(step: step)
  }

  /// The upstream is done with: what comes now is the followed future.
  @inlinable var isFollowing: Bool { function == nil }

  /// Takes the function, so that what it holds goes with the step. Nil if the node was cancelled before.
  @inlinable
  func begin() -> Next? {
    let function = self.function
    self.function = nil
    return isComplete ? nil : function
  }

  /// Starts the next work and waits for it.
  @inlinable
  func follow(_ function: Next, _ input: Input) -> Bool {
    do {
      let inner = try function(input)
      if inner.isComplete { return adoptFromStep(inner) }
      return wait(for: inner)
    } catch {
      return failFromStep(error)
    }
  }

  @usableFromInline
  func wait(for inner: AnyFuture) -> Bool {
    let reference = Unmanaged.passRetained(inner)
    let (exchanged, _) = followed.compareExchange(
      expected: 0, desired: reference.address, ordering: .acquiringAndReleasing)
    if !exchanged {
      reference.release()
      inner.withdrawAndCancel(self)
      return false
    }
    return inner.attach(self) ? false : step(self, inner)
  }

  /// Completes as the followed future did.
  @inlinable
  func finish(_ source: AnyFuture) -> Bool {
    let mustFlush = adoptFromStep(unsafeDowncast(source, to: Future<Output>.self))
    releaseFollowed()
    return mustFlush
  }

  @usableFromInline
  func releaseFollowed() {
    let address = followed.exchange(0, ordering: .acquiringAndReleasing)
    if address > Self.withdrawn { Unmanaged<AnyFuture>.at(address).release() }
  }

  override func cancelWork() {
    let address = followed.exchange(Self.withdrawn, ordering: .acquiringAndReleasing)
    guard address > Self.withdrawn else { return }
    let inner = Unmanaged<AnyFuture>.at(address).takeRetainedValue()
    inner.withdrawAndCancel(self)
  }

  deinit { releaseFollowed() }
}
