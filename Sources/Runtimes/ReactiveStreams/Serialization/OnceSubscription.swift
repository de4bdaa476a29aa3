/// The subscription of everything that sends one result: `Future`, and operators that fold a stream.
///
/// An operator sets `upstream`, which is asked on the first demand; results come through `succeed`, `fail`.
///
/// `@unchecked Sendable`: `upstream` is written before anyone else sees the object; `value` and `failure` are
/// written before the gate is told; `downstream` belongs to the one call the gate tells to deliver or drop.
@usableFromInline
final class OnceSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
  @usableFromInline let gate = OnceGate()
  @usableFromInline let quiescence = Quiescence()
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var upstreamDemand: Subscribers.Demand
  @usableFromInline @exclusivity(unchecked) var value: Downstream.Input?
  @usableFromInline @exclusivity(unchecked) var failure: Downstream.Failure?

  @inlinable
  init(_ downstream: Downstream, upstreamDemand: Subscribers.Demand = .unlimited) {
    self.downstream = downstream
    self.upstreamDemand = upstreamDemand
  }

  /// Hands out the subscription. Called once, by the thread that made the object.
  @inlinable
  func begin() {
    downstream?.receive(subscription: self)
    perform(gate.open())
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    let (duty, first) = gate.request(demand)
    perform(duty)
    if first { upstream?.request(upstreamDemand) }
  }

  @inlinable
  func cancel() {
    let (duty, first) = gate.cancel()
    perform(duty)
    guard first else { return }
    if let upstream {
      upstream.cancel { self.quiescence.declareOver() }
    } else {
      quiescence.declareOver()
    }
  }

  @inlinable
  func cancel(then action: @escaping @Sendable () -> Void) {
    quiescence.whenOver(action)
    cancel()
  }

  /// Keeps the value and sends it when it is asked for. Call one of `succeed` and `fail`, once.
  @inlinable
  func succeed(_ result: Downstream.Input) {
    value = result
    perform(gate.resolve())
  }

  /// Sends the failure, asked for or not.
  @inlinable
  func fail(_ error: Downstream.Failure) {
    failure = error
    perform(gate.resolve(needsDemand: false))
  }

  /// Finishes without a value, asked for or not.
  @inlinable
  func finishEmpty() { perform(gate.resolve(needsDemand: false)) }

  @inlinable
  func perform(_ duty: OnceGate.Duty) {
    switch duty {
    case .nothing: return
    case .drop: downstream = nil
    case .deliver:
      guard var subscriber = downstream.take() else { return }
      if let value = value.take() {
        subscriber.receive(last: value)
      } else if let failure {
        subscriber.receive(completion: .failure(failure))
      } else {
        subscriber.receive(completion: .finished)
      }
      quiescence.declareOver()
    }
  }
}
