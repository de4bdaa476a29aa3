import Foundation
import ReactiveStreams
import Synchronization

/// A publisher that a check plays by hand, and that notices what a subscriber does with its subscription.
final class WatchfulPublisher<Output: Sendable, Failure: Error>: Publisher {
  private struct State {
    var subscriber: AnySubscriber<Output, Failure>?
    var link: WatchedSubscription?
    var sent = 0
  }

  private let state = Mutex(State())
  private let insideRequest: (@Sendable (WatchfulPublisher) -> Void)?

  /// - Parameter insideRequest: runs inside the first request, or once the subscription was received if that came
  ///   from inside: publishers send nothing before.
  init(insideRequest: (@Sendable (WatchfulPublisher) -> Void)? = nil) { self.insideRequest = insideRequest }

  /// The subscription that was handed out, if one was.
  var link: WatchedSubscription? { state.withLock { $0.link } }
  /// Whether a value may be sent: one that was asked for, before a cancellation.
  var mayBeSent: Bool {
    let (link, sent) = state.withLock { ($0.link, $0.sent) }
    guard let link, link.cancellations == 0 else { return false }
    return link.requested > .max(sent)
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let erased = AnySubscriber(subscriber)
    let link = WatchedSubscription { [weak self] in
      if let self { insideRequest?(self) }
    }
    state.withLock {
      $0.subscriber = erased
      $0.link = link
    }
    erased.receive(subscription: link)
    link.open()
  }

  /// Hands the subscriber another subscription, which it has to refuse.
  func subscribeAgain() -> WatchedSubscription {
    let second = WatchedSubscription {}
    subscriber?.receive(subscription: second)
    second.open()
    return second
  }

  func send(_ value: Output) {
    state.withLock { $0.sent += 1 }
    guard let subscriber else { return }
    let more = subscriber.receive(value)
    link?.add(more)
  }

  func send(completion: Subscribers.Completion<Failure>) {
    link?.setEnding(true)
    subscriber?.receive(completion: completion)
    link?.setEnding(false)
  }

  private var subscriber: AnySubscriber<Output, Failure>? { state.withLock { $0.subscriber } }
}

/// A subscription that counts its calls, and knows those that came from inside the end of the stream.
final class WatchedSubscription: Subscription {
  private struct State {
    var requested = Subscribers.Demand.none
    var requests = 0
    var cancellations = 0
    var callsInsideEnd = 0
    /// Whether the subscriber is being told of the end.
    var isEnding = false
    var isOpen = false
    /// Whether something has followed from the first request.
    var isAnswered = false

    mutating func takeFirstRequest() -> Bool {
      guard isOpen, requests > 0, !isAnswered else { return false }
      isAnswered = true
      return true
    }
  }

  private let state = Mutex(State())
  private let onFirstRequest: @Sendable () -> Void

  init(onFirstRequest: @escaping @Sendable () -> Void) { self.onFirstRequest = onFirstRequest }

  var requested: Subscribers.Demand { state.withLock { $0.requested } }
  var cancellations: Int { state.withLock { $0.cancellations } }
  var callsInsideEnd: Int { state.withLock { $0.callsInsideEnd } }

  func setEnding(_ isEnding: Bool) { state.withLock { $0.isEnding = isEnding } }

  func add(_ demand: Subscribers.Demand) { state.withLock { $0.requested += demand } }

  func request(_ demand: Subscribers.Demand) {
    let isFirst = state.withLock {
      $0.requested += demand
      $0.requests += 1
      if $0.isEnding { $0.callsInsideEnd += 1 }
      return $0.takeFirstRequest()
    }
    if isFirst { onFirstRequest() }
  }

  /// The subscriber has received the subscription.
  func open() {
    let wasAsked = state.withLock {
      $0.isOpen = true
      return $0.takeFirstRequest()
    }
    if wasAsked { onFirstRequest() }
  }

  func cancel() {
    state.withLock {
      $0.cancellations += 1
      if $0.isEnding { $0.callsInsideEnd += 1 }
    }
  }
}

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
