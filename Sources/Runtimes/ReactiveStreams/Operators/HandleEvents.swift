import Synchronization

extension Publishers {
  /// Passes everything through and tells closures about it.
  public struct HandleEvents<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Called before the subscriber hears of its subscription.
    public var receiveSubscription: (@Sendable (any Subscription) -> Void)?
    /// Called with each value, before the subscriber gets it.
    public var receiveOutput: (@Sendable (Output) -> Void)?
    /// Called with the end, before the subscriber hears of it; before the last value, if the two are one signal.
    public var receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)?
    /// Called once, on the thread that cancels, if the stream is cancelled before its end.
    public var receiveCancel: (@Sendable () -> Void)?
    /// Called with each demand, one that answers a value included.
    public var receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: HandleEventsSubscriber(downstream: subscriber, handlers: self))
    }
  }
}

extension Publisher {
  /// Passes everything through and tells these closures about it, on the thread where it happens.
  ///
  /// `receiveCancel` is not called for a stream that has delivered its last value: that and the end are one signal, which a sink
  /// takes, or a cancellation comes first. So a publisher of one value can be awaited through a continuation that this and a
  /// sink resume, once (`value` does it all). Of one that does not end with its value, such as a subject or a `merge`, whose
  /// other publishers may end later, only `first()` makes one of one value.
  public func handleEvents(
    receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
    receiveOutput: (@Sendable (Output) -> Void)? = nil,
    receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil,
    receiveRequest: (@Sendable (Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
  }
}

private struct HandleEventsSubscriber<Upstream: Publisher, Downstream: Subscriber>: Subscriber
where Upstream.Output == Downstream.Input, Upstream.Failure == Downstream.Failure {
  var downstream: Downstream
  let handlers: Publishers.HandleEvents<Upstream>

  mutating func receive(subscription: any Subscription) {
    handlers.receiveSubscription?(subscription)
    downstream.receive(subscription: ObservedSubscription(subscription, handlers))
  }
  mutating func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    handlers.receiveOutput?(input)
    let more = downstream.receive(input)
    if more > .none { handlers.receiveRequest?(more) }
    return more
  }
  mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    handlers.receiveCompletion?(completion)
    downstream.receive(completion: completion)
  }
  mutating func receive(last input: Downstream.Input) {
    handlers.receiveOutput?(input)
    handlers.receiveCompletion?(.finished)
    downstream.receive(last: input)
  }
}

/// It does not know whether the end has been sent: whether that or a cancellation comes first is decided where the stream
/// ends, at the sink. What has taken the end cancels nothing.
private final class ObservedSubscription: Subscription {
  private let upstream: any Subscription
  private let onRequest: (@Sendable (Subscribers.Demand) -> Void)?
  private let onCancel: (@Sendable () -> Void)?
  private let isCancelled = Atomic<Bool>(false)

  init<P: Publisher>(_ upstream: any Subscription, _ handlers: Publishers.HandleEvents<P>) {
    self.upstream = upstream
    onRequest = handlers.receiveRequest
    onCancel = handlers.receiveCancel
  }

  func request(_ demand: Subscribers.Demand) {
    onRequest?(demand)
    upstream.request(demand)
  }

  var waitsForDemand: Bool { upstream.waitsForDemand }

  func cancel() {
    tell()
    upstream.cancel()
  }

  func cancel(then action: @escaping @Sendable () -> Void) {
    tell()
    upstream.cancel(then: action)
  }

  private func tell() {
    if !isCancelled.exchange(true, ordering: .relaxed) { onCancel?() }
  }
}
