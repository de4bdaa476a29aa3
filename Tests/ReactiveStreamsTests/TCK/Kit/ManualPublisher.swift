import ReactiveStreams
import Synchronization

/// A publisher whose signals the test sends, by the rules or not, with a record of the calls.
final class ManualPublisher<Output: Sendable, Failure: Error>: Publisher, Subscription {
  private struct State {
    var subscriber: AnySubscriber<Output, Failure>?
    var requests: [Subscribers.Demand] = []
    var cancellations = 0
    var subscriptions = 0
    var sent = 0
    /// Whether the end is being sent, and how often the subscriber has called from inside that.
    var isEnding = false
    var callsInsideEnd = 0
    /// Whether the subscriber has its subscription: publishers send nothing before.
    var isOpen = false
    var insideRequest: (@Sendable (ManualPublisher) -> Void)?

    mutating func takeInsideRequest() -> (@Sendable (ManualPublisher) -> Void)? {
      isOpen && !requests.isEmpty ? insideRequest.take() : nil
    }
  }

  private let state: Mutex<State>

  let waitsForDemand: Bool

  /// - Parameter waitsForDemand: what it declares; the test, which sends, need not wait.
  init(waitsForDemand: Bool = false) {
    self.waitsForDemand = waitsForDemand
    state = Mutex(State())
  }

  /// - Parameter insideRequest: runs inside the first request, or once the subscription was received if that came from
  ///   inside.
  init(insideRequest: @escaping @Sendable (ManualPublisher) -> Void) {
    waitsForDemand = false
    state = Mutex(State(insideRequest: insideRequest))
  }

  /// The requested demands, and those returned from values, in order.
  var requests: [Subscribers.Demand] { state.withLock { $0.requests } }
  var requested: Subscribers.Demand { requests.reduce(.none, +) }
  var cancellations: Int { state.withLock { $0.cancellations } }
  /// How often it was subscribed to; only the last subscriber gets signals.
  var subscriptions: Int { state.withLock { $0.subscriptions } }

  var subscriber: AnySubscriber<Output, Failure>? { state.withLock { $0.subscriber } }
  /// How often the subscriber has called its subscription from inside the end.
  var callsInsideEnd: Int { state.withLock { $0.callsInsideEnd } }
  /// Whether a value may be sent: with demand, before a cancellation.
  var mayBeSent: Bool { cancellations == 0 && requested > .max(state.withLock { $0.sent }) }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let erased = AnySubscriber(subscriber)
    state.withLock {
      $0.subscriber = erased
      $0.subscriptions += 1
    }
    erased.receive(subscription: self)
    let action = state.withLock {
      $0.isOpen = true
      return $0.takeInsideRequest()
    }
    action?(self)
  }

  /// Sends to the last subscriber, with or without demand; the returned demand counts as requested.
  func send(_ value: Output) {
    let subscriber = state.withLock {
      $0.sent += 1
      return $0.subscriber
    }
    if let more = subscriber?.receive(value), more > .none { state.withLock { $0.requests.append(more) } }
  }

  /// Ends the last subscriber's stream, and releases it.
  func send(completion: Subscribers.Completion<Failure>) {
    let subscriber = state.withLock {
      $0.isEnding = true
      return $0.subscriber.take()
    }
    subscriber?.receive(completion: completion)
    state.withLock { $0.isEnding = false }
  }

  func request(_ demand: Subscribers.Demand) {
    let action = state.withLock {
      $0.requests.append(demand)
      if $0.isEnding { $0.callsInsideEnd += 1 }
      return $0.takeInsideRequest()
    }
    action?(self)
  }

  func cancel() {
    let dropped = state.withLock {
      $0.cancellations += 1
      if $0.isEnding { $0.callsInsideEnd += 1 }
      return $0.subscriber.take()
    }
    withExtendedLifetime(dropped) {}
  }
}
