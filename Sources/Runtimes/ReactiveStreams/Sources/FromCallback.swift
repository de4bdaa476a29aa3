import Synchronization

/// Turns a call that answers through a callback into a publisher of one value.
///
/// The work starts on the first demand of each subscriber, on the thread that asks; the value is sent on the
/// thread that resolves. What the work returns is kept while it runs and given to `cancel` when the
/// subscription is cancelled; nothing is kept after either.
///
///     let upload = FromCallback { resolver in
///       service.upload(photo) { resolver($0) }
///     } cancel: { request in
///       request.cancel()
///     }
public struct FromCallback<Output: Sendable, Failure: Error, Handle: Sendable>: Publisher {
  public typealias Work = @Sendable (Resolver<Output, Failure>) -> Handle

  @usableFromInline let work: Work
  @usableFromInline let cancelWork: @Sendable (Handle) -> Void

  @inlinable
  public init(_ work: @escaping Work, cancel: @escaping @Sendable (Handle) -> Void) {
    self.work = work
    cancelWork = cancel
  }

  /// Work that can not be cancelled: its late answer is ignored.
  @inlinable
  public init(_ work: @escaping @Sendable (Resolver<Output, Failure>) -> Void) where Handle == Void {
    self.init(work, cancel: { _ in })
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    CallbackSubscription(self, subscriber).begin()
  }
}

/// `@unchecked Sendable`: whoever sets the bit that a variable waits for owns the variable. `work` belongs to
/// the call that starts it, or to a cancellation before; `handle` to the second of {returned, resolved or
/// cancelled}; `downstream` to the first of {resolved, cancelled} once `busy` is cleared.
@usableFromInline
final class CallbackSubscription<Handle: Sendable, Downstream: Subscriber>:
  ResolverTarget<Downstream.Input, Downstream.Failure>, Subscription, @unchecked Sendable
{
  @usableFromInline static var busy: UInt8 { 1 }
  @usableFromInline static var requested: UInt8 { 2 }
  @usableFromInline static var returned: UInt8 { 4 }
  @usableFromInline static var resolved: UInt8 { 8 }
  @usableFromInline static var cancelled: UInt8 { 16 }

  @usableFromInline typealias Source = FromCallback<Downstream.Input, Downstream.Failure, Handle>

  @usableFromInline let cancelWork: @Sendable (Handle) -> Void
  @usableFromInline let bits = Atomic<UInt8>(busy)
  @usableFromInline @exclusivity(unchecked) var work: Source.Work?
  @usableFromInline @exclusivity(unchecked) var handle: Handle?
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?

  @inlinable
  init(_ source: Source, _ downstream: Downstream) {
    work = source.work
    cancelWork = source.cancelWork
    self.downstream = downstream
    super.init()
  }

  @inlinable
  func begin() {
    downstream?.receive(subscription: self)
    let old = bits.bitwiseAnd(~Self.busy, ordering: .acquiringAndReleasing).oldValue
    if old & Self.cancelled != 0 {
      work = nil
      downstream = nil
    } else if old & Self.requested != 0 {
      start()
    }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let old = bits.bitwiseOr(Self.requested, ordering: .acquiringAndReleasing).oldValue
    if old == 0 { start() }
  }

  @inlinable
  func start() {
    guard let work = work.take(), bits.load(ordering: .relaxed) & Self.cancelled == 0 else { return }
    let running = work(Resolver(self))
    handle = running
    let old = bits.bitwiseOr(Self.returned, ordering: .acquiringAndReleasing).oldValue
    if old & (Self.resolved | Self.cancelled) != 0 { handle = nil }
    if old & Self.cancelled != 0 { cancelWork(running) }
  }

  @inlinable
  override func resolve(_ result: Result<Downstream.Input, Downstream.Failure>) {
    let old = bits.bitwiseOr(Self.resolved, ordering: .acquiringAndReleasing).oldValue
    guard old & (Self.resolved | Self.cancelled) == 0 else { return }
    if old & Self.returned != 0 { handle = nil }
    guard var subscriber = downstream.take() else { return }
    switch result {
    case .success(let output): subscriber.receive(last: output)
    case .failure(let error): subscriber.receive(completion: .failure(error))
    }
  }

  @inlinable
  func cancel() {
    let old = bits.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing).oldValue
    guard old & (Self.cancelled | Self.resolved) == 0 else { return }
    if old & Self.busy == 0 {
      downstream = nil
      if old & Self.requested == 0 { work = nil }
    }
    if old & Self.returned != 0, let running = handle.take() { cancelWork(running) }
  }
}
