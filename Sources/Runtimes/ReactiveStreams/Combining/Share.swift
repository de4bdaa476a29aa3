import Synchronization

extension Publishers {
  /// Subscribes to its upstream once, for all its subscribers.
  public final class Share<Upstream: Publisher>: Operator {
    /// Subscribed to once for all, with the first subscriber.
    public let upstream: Upstream
    private let hub: ShareHub<Upstream>

    /// ``Publisher/share()`` makes it. It is a class: subscribers share what they are given the same instance of.
    public init(upstream: Upstream) {
      self.upstream = upstream
      hub = ShareHub(upstream)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      hub.attach(ShareMember(AnySubscriber(subscriber), hub))
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher once, with the first subscriber; the last that leaves cancels.
  ///
  /// All get the same values in the same order, from when they came. The slowest sets the pace: this publisher is
  /// asked for what every subscriber has asked for, so one that asks for nothing holds up the others; a `buffer` behind
  /// the share lets it fall back. If all of them have asked for everything, so has the share, unless this publisher
  /// waits (``Subscription/waitsForDemand``): then for 64 values ahead at most. After the end, or when all have left,
  /// the next subscriber starts anew.
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

/// One subscriber of a share. Values that it has not asked for wait here: no more than the hub asks ahead.
///
/// `@unchecked Sendable`: the variables belong to the handler of the hub's mailbox.
final class ShareMember<Upstream: Publisher>: QuiescentSubscription, @unchecked Sendable {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let quiescence = Quiescence()
  private(set) var demand = Subscribers.Demand.none
  private let hub: ShareHub<Upstream>
  /// Set before the cancellation's turn in the mailbox comes, so that values ahead of it are not sent.
  private let isCancelled = Atomic<Bool>(false)
  private var subscriber: AnySubscriber<Output, Failure>?
  private var waiting = Queue<Output>()
  private var hasFinished = false

  init(_ subscriber: AnySubscriber<Output, Failure>, _ hub: ShareHub<Upstream>) {
    self.subscriber = subscriber
    self.hub = hub
  }

  func request(_ asked: Subscribers.Demand) { if asked > .none { hub.send(.request(self, asked)) } }

  var waitsForDemand: Bool { true }

  func cancel() { if !isCancelled.exchange(true, ordering: .relaxed) { hub.send(.detach(self)) } }

  // MARK: Inside the hub's mailbox

  func start() { subscriber?.receive(subscription: self) }

  func grant(_ asked: Subscribers.Demand) {
    demand += asked
    while demand > .none, let value = waiting.popFirst() { send(value) }
    if hasFinished, waiting.isEmpty { end(.finished) }
  }

  func receive(_ value: Output) { if demand > .none { send(value) } else { waiting.append(value) } }

  func receive(completion: Subscribers.Completion<Failure>) {
    if case .finished = completion, !waiting.isEmpty {
      hasFinished = true
    } else {
      end(completion)
    }
  }

  func drop() {
    subscriber = nil
    waiting.removeAll()
  }

  private func send(_ value: Output) {
    if isCancelled.load(ordering: .relaxed) { return }
    demand -= .max(1)
    if let more = subscriber?.receive(value) { demand += more }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    let last = subscriber.take()
    if !isCancelled.load(ordering: .relaxed) { last?.receive(completion: completion) }
    waiting.removeAll()
    quiescence.declareOver()
  }
}
