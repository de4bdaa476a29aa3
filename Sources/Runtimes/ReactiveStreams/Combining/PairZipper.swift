import Synchronization

/// Takes one value of each of two publishers at a time and sends them as a pair.
///
/// Everything happens in a mailbox, so the state below is serial. Each source is asked for as many values as
/// the downstream wants, at most `batch` ahead: what waits is bounded even under unlimited demand.
///
/// `@unchecked Sendable`: all variables belong to the mailbox's handler.
@usableFromInline
final class PairZipper<First: Sendable, Second: Sendable, Downstream: Subscriber>: @unchecked Sendable
where Downstream.Input == (First, Second) {
  @usableFromInline
  enum Event {
    case subscribed(isFirst: Bool, any Subscription)
    case first(First)
    case second(Second)
    case finished(isFirst: Bool)
    case failed(isFirst: Bool, Downstream.Failure)
    case request(Subscribers.Demand)
    case cancel
  }

  /// Values asked of a source ahead of the downstream's use of them, at most.
  @usableFromInline static var batch: Int { 64 }

  /// What is known of one source.
  @usableFromInline
  struct Source<Value> {
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var queue = Queue<Value>()
    @usableFromInline var isFinished = false
    /// Values asked for and not yet come.
    @usableFromInline var outstanding = 0

    @inlinable init() {}

    @inlinable var isUsedUp: Bool { isFinished && queue.isEmpty }

    @inlinable
    mutating func take(_ value: Value) {
      outstanding -= 1
      queue.append(value)
    }

    /// Asks for what the downstream wants; from a batch on, when half of one is used up.
    @inlinable
    mutating func ask(_ demand: Subscribers.Demand) {
      let wanted = min(demand.rawCount, batch)
      let lacking = wanted - outstanding - queue.count
      guard lacking > 0, wanted < batch || lacking * 2 >= wanted, !isFinished, let upstream else { return }
      outstanding += lacking
      upstream.request(.max(lacking))
    }
  }

  @usableFromInline let mailbox = Mailbox<Event>(isBusy: true)
  @usableFromInline let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox comes, so that a loop that sends stops.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let specializedHandle: (PairZipper, Event) -> Void
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var first = Source<First>()
  @usableFromInline @exclusivity(unchecked) var second = Source<Second>()
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var isOver = false

  @inlinable
  init(_ downstream: Downstream) {
    self.downstream = downstream
    specializedHandle = { $0.handle($1) }
  }

  /// Hands out the subscription. Sources are attached after that.
  @inlinable
  func begin() {
    downstream?.receive(subscription: self)
    mailbox.leave(handle)
  }

  @inlinable
  func send(_ event: Event) { mailbox.send(event, handle) }

  @inlinable
  func handle(_ event: Event) {
    if isOver {
      if case .subscribed(_, let late) = event { late.cancel() }
      return
    }
    switch event {
    case .subscribed(isFirst: true, let upstream):
      first.upstream = upstream
      first.ask(demand)
    case .subscribed(isFirst: false, let upstream):
      second.upstream = upstream
      second.ask(demand)
    case .first(let value):
      first.take(value)
      sendPairs()
    case .second(let value):
      second.take(value)
      sendPairs()
    case .finished(isFirst: true):
      first.isFinished = true
      if first.queue.isEmpty { end(.finished) }
    case .finished(isFirst: false):
      second.isFinished = true
      if second.queue.isEmpty { end(.finished) }
    case .failed(let isFirst, let error):
      if isFirst { first.isFinished = true } else { second.isFinished = true }
      end(.failure(error))
    case .request(let asked):
      demand += asked
      sendPairs()
      if isOver { return }
      first.ask(demand)
      second.ask(demand)
    case .cancel: end(nil)
    }
  }

  @inlinable
  func sendPairs() {
    while demand != .none, !first.queue.isEmpty, !second.queue.isEmpty,
      !isCancelled.load(ordering: .relaxed)
    {
      guard let one = first.queue.popFirst(), let other = second.queue.popFirst() else { return }
      demand -= .max(1)
      if let more = downstream?.receive((one, other)) { demand += more }
      if first.isUsedUp || second.isUsedUp { return end(.finished) }
      first.ask(demand)
      second.ask(demand)
    }
  }

  /// Ends the stream; `nil` is a cancellation.
  @usableFromInline
  func end(_ completion: Subscribers.Completion<Downstream.Failure>?) {
    isOver = true
    var running: [any Subscription] = []
    if !first.isFinished, let upstream = first.upstream { running.append(upstream) }
    if !second.isFinished, let upstream = second.upstream { running.append(upstream) }
    let last = Unsent(downstream.take(), completion)
    first = Source()
    second = Source()
    let countdown = Countdown(running.count + 1) {
      last.send()
      self.quiescence.declareOver()
    }
    for upstream in running { upstream.cancel { countdown.arrive() } }
    countdown.arrive()
  }
}

extension PairZipper: Subscription {
  @usableFromInline
  func request(_ asked: Subscribers.Demand) {
    if asked > .none { mailbox.send(.request(asked)) { specializedHandle(self, $0) } }
  }

  @usableFromInline
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    mailbox.send(.cancel) { specializedHandle(self, $0) }
  }

  @usableFromInline
  func cancel(then action: @escaping @Sendable () -> Void) {
    quiescence.whenOver(action)
    cancel()
  }
}
