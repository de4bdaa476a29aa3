import ReactiveStreams
import Synchronization

/// A publisher that a test plays by hand, lawfully or not, with a record of what was asked of it.
public final class ManualPublisher<Output: Sendable, Failure: Error>: Publisher, Subscription {
  private struct State {
    var subscriber: AnySubscriber<Output, Failure>?
    var requests: [Subscribers.Demand] = []
    var cancellations = 0
    var subscriptions = 0
  }

  private let state = Mutex(State())

  public let waitsForDemand: Bool

  /// One that nobody has subscribed to.
  ///
  /// - Parameter waitsForDemand: what it says of itself; it is the test that sends, and waits or does not.
  public init(waitsForDemand: Bool = false) { self.waitsForDemand = waitsForDemand }

  /// What was requested, call by call, and returned from values, in order.
  public var requests: [Subscribers.Demand] { state.withLock { $0.requests } }
  /// All of that together.
  public var requested: Subscribers.Demand { requests.reduce(.none, +) }
  /// How often it was cancelled.
  public var cancellations: Int { state.withLock { $0.cancellations } }
  /// How often it was subscribed to; only the last subscriber is sent anything.
  public var subscriptions: Int { state.withLock { $0.subscriptions } }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let erased = AnySubscriber(subscriber)
    state.withLock {
      $0.subscriber = erased
      $0.subscriptions += 1
    }
    erased.receive(subscription: self)
  }

  /// Sends to the last subscriber, asked or not; what that returns counts as requested.
  public func send(_ value: Output) {
    guard let subscriber = state.withLock({ $0.subscriber }) else { return }
    let more = subscriber.receive(value)
    if more > .none { state.withLock { $0.requests.append(more) } }
  }

  /// Ends the last subscriber's stream, and lets go of it.
  public func send(completion: Subscribers.Completion<Failure>) {
    state.withLock { $0.subscriber.take() }?.receive(completion: completion)
  }

  public func request(_ demand: Subscribers.Demand) { state.withLock { $0.requests.append(demand) } }

  public func cancel() {
    let dropped = state.withLock {
      $0.cancellations += 1
      return $0.subscriber.take()
    }
    withExtendedLifetime(dropped) {}
  }
}
