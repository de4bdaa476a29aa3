import Synchronization

/// Takes one value of each of several publishers at a time and sends them as one array.
///
/// Everything happens in a mailbox, so the state below is serial. Each source is asked for as many values as
/// the downstream wants, at most `batch` ahead: what waits is bounded even under unlimited demand.
///
/// `@unchecked Sendable`: all variables belong to the mailbox's handler.
@usableFromInline
final class Zipper<Value: Sendable, Downstream: Subscriber>: @unchecked Sendable
where Downstream.Input == [Value] {
  @usableFromInline
  enum Event {
    case subscribed(Int, any Subscription)
    case value(Int, Value)
    case finished(Int)
    case failed(Int, Downstream.Failure)
    case request(Subscribers.Demand)
    case cancel
  }

  /// Values asked of a source ahead of the downstream's use of them, at most.
  @usableFromInline static var batch: Int { 64 }

  @usableFromInline let mailbox = Mailbox<Event>(isBusy: true)
  @usableFromInline let quiescence = Quiescence()
  /// Set before the cancellation's turn in the mailbox comes, so that a loop that sends stops.
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let specializedHandle: (Zipper, Event) -> Void
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var upstreams: [(any Subscription)?]
  @usableFromInline @exclusivity(unchecked) var queues: [Queue<Value>]
  @usableFromInline @exclusivity(unchecked) var finished: [Bool]
  /// Values asked of each source and not yet come.
  @usableFromInline @exclusivity(unchecked) var outstanding: [Int]
  /// Sources whose queue is empty.
  @usableFromInline @exclusivity(unchecked) var missing: Int
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var isOver = false

  @inlinable
  init(count: Int, _ downstream: Downstream) {
    self.downstream = downstream
    upstreams = Array(repeating: nil, count: count)
    queues = Array(repeating: Queue(), count: count)
    finished = Array(repeating: false, count: count)
    outstanding = Array(repeating: 0, count: count)
    missing = count
    specializedHandle = { $0.handle($1) }
  }

  /// Hands out the subscription. Sources are attached after that.
  @inlinable
  func begin() {
    downstream?.receive(subscription: self)
    mailbox.leave(handle)
    if upstreams.isEmpty { send(.finished(-1)) }
  }

  @inlinable
  func send(_ event: Event) { mailbox.send(event, handle) }

  @inlinable
  func handle(_ event: Event) {
    switch event {
    case .subscribed(let index, let subscription):
      if isOver { return subscription.cancel() }
      upstreams[index] = subscription
      ask(index)
    case .value(let index, let value):
      if isOver { return }
      outstanding[index] -= 1
      if queues[index].isEmpty { missing -= 1 }
      queues[index].append(value)
      sendTuples()
    case .finished(let index):
      if isOver { return }
      if index < 0 { return end(.finished) }
      finished[index] = true
      if queues[index].isEmpty { end(.finished) }
    case .failed(let index, let error):
      if isOver { return }
      finished[index] = true
      end(.failure(error))
    case .request(let asked):
      if isOver { return }
      demand += asked
      sendTuples()
      if !isOver { for index in upstreams.indices { ask(index) } }
    case .cancel:
      if !isOver { end(nil) }
    }
  }

  @inlinable
  func sendTuples() {
    while missing == 0, demand != .none, !isCancelled.load(ordering: .relaxed) {
      var values: [Value] = []
      values.reserveCapacity(queues.count)
      var ends = false
      for index in queues.indices {
        if let value = queues[index].popFirst() { values.append(value) }
        if queues[index].isEmpty {
          missing += 1
          if finished[index] { ends = true }
        }
      }
      demand -= .max(1)
      if let more = downstream?.receive(values) { demand += more }
      if ends { return end(.finished) }
      for index in queues.indices { ask(index) }
    }
  }

  /// Asks a source for what the downstream wants, in batches: when half of one is used up.
  @inlinable
  func ask(_ index: Int) {
    let wanted = min(demand.rawCount, Self.batch)
    let lacking = wanted - outstanding[index] - queues[index].count
    guard lacking > 0, wanted < Self.batch || lacking * 2 >= wanted else { return }
    guard !finished[index], let upstream = upstreams[index] else { return }
    outstanding[index] += lacking
    upstream.request(.max(lacking))
  }

  /// Ends the stream; `nil` is a cancellation.
  @usableFromInline
  func end(_ completion: Subscribers.Completion<Downstream.Failure>?) {
    isOver = true
    let running = upstreams.indices.filter { !finished[$0] }.compactMap { upstreams[$0] }
    let last = Unsent(downstream.take(), completion)
    upstreams = upstreams.map { _ in nil }
    queues = []
    let countdown = Countdown(running.count + 1) {
      last.send()
      self.quiescence.declareOver()
    }
    for upstream in running { upstream.cancel { countdown.arrive() } }
    countdown.arrive()
  }
}

extension Zipper: Subscription {
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
