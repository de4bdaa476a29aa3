import ReactiveStreams

extension Publishers {
  /// Passes everything through and tells closures about it.
  public struct HandleEvents<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Called before the subscriber hears of its subscription.
    public var receiveSubscription: (@Sendable (any Subscription) -> Void)?
    /// Called with each value, before the subscriber gets it.
    public var receiveOutput: (@Sendable (Output) -> Void)?
    /// Called with the end, before the subscriber hears of it.
    public var receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)?
    /// Called each time the subscriber cancels, on its thread.
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
}

private final class ObservedSubscription: Subscription {
  private let upstream: any Subscription
  private let onRequest: (@Sendable (Subscribers.Demand) -> Void)?
  private let onCancel: (@Sendable () -> Void)?

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
    onCancel?()
    upstream.cancel()
  }

  func cancel(then action: @escaping @Sendable () -> Void) {
    onCancel?()
    upstream.cancel(then: action)
  }
}
