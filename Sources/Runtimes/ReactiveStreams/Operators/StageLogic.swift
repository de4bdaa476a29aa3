/// What one operator does with the events of its life. A `Stage` tells it of them, never two at a time.
@usableFromInline
protocol StageLogic: SendableMetatype {
  associatedtype Input: Sendable
  associatedtype UpstreamFailure: Error
  associatedtype Downstream: Subscriber
  /// What the logic tells itself, from timers and other publishers.
  associatedtype Signal: Sendable

  /// Whether each request goes straight to the upstream, rather than to `demandGrew`.
  static var passesDemand: Bool { get }

  /// The downstream has its subscription.
  mutating func begin(_ stage: Stage<Self>)
  mutating func receive(_ input: Input, _ stage: Stage<Self>)
  mutating func receive(completion: Subscribers.Completion<UpstreamFailure>, _ stage: Stage<Self>)
  mutating func receive(signal: Signal, _ stage: Stage<Self>)
  /// The downstream has asked for more.
  mutating func demandGrew(_ stage: Stage<Self>)
  /// Takes a signal in place of `receive(signal:)` when the stream has ended or was cancelled.
  func dismiss(_ signal: Signal)
  /// The stream has ended or was cancelled: let go of everything, and return what is to be cancelled.
  mutating func stop() -> (any Subscription)?
}

extension StageLogic {
  @inlinable static var passesDemand: Bool { false }
  @inlinable mutating func begin(_ stage: Stage<Self>) {}
  @inlinable mutating func demandGrew(_ stage: Stage<Self>) {}
  @inlinable func dismiss(_ signal: Signal) {}
}

extension StageLogic where Signal == Never {
  @inlinable mutating func receive(signal: Never, _ stage: Stage<Self>) {}
}
