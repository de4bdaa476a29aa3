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
    var subscriber = subscriber
    let subscription = CallbackSubscription<Output, Failure>()
    subscriber.receive(subscription: subscription)
    switch subscription.open() {
    case .start: start(subscription, subscriber)
    case .wait: subscription.waitForDemand { [self, subscriber] in start(subscription, subscriber) }
    case .drop: return
    }
  }

  @inlinable
  func start<S: Subscriber>(_ subscription: CallbackSubscription<Output, Failure>, _ subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    guard !subscription.isCancelled else { return subscription.arm(nil) }
    let running = work(Resolver(subscription))
    subscription.arm { [subscriber, cancelWork] result in
      var subscriber = subscriber
      switch result {
      case .success(let output): subscriber.receive(last: output)
      case .failure(let error): subscriber.receive(completion: .failure(error))
      case nil: cancelWork(running)
      }
    }
  }
}
