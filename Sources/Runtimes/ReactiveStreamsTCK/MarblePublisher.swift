import ReactiveStreams
import Synchronization

/// Plays a diagram in a clock's virtual time, to each subscriber from the start.
public struct MarblePublisher: Publisher {
  public typealias Output = Character
  public typealias Failure = MarbleFailure

  let marbles: Marbles
  let clock: MarbleClock

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Character, S.Failure == MarbleFailure {
    let player = MarblePlayer(AnySubscriber(subscriber))
    player.begin(marbles, on: clock)
  }
}

/// One subscription to a diagram. The lock is never held while the subscriber is called.
private final class MarblePlayer: Subscription {
  private struct State {
    var subscriber: AnySubscriber<Character, MarbleFailure>?
    var timers: [AnyCancellable] = []
    var due: [Marbles.Signal] = []
    var demand = Subscribers.Demand.none
    var isSending = true

    /// What may be sent now; `nil` when there is nothing, and then the caller no longer sends.
    mutating func next() -> (AnySubscriber<Character, MarbleFailure>, Marbles.Signal)? {
      guard let subscriber, let signal = due.first, demand > .none || !signal.needsDemand else {
        isSending = false
        return nil
      }
      due.removeFirst()
      if signal.needsDemand {
        demand -= .max(1)
      } else {
        end()
      }
      return (subscriber, signal)
    }

    mutating func end() {
      subscriber = nil
      timers = []
    }
  }

  private let state: Mutex<State>

  init(_ subscriber: AnySubscriber<Character, MarbleFailure>) {
    state = Mutex(State(subscriber: subscriber))
  }

  func begin(_ marbles: Marbles, on clock: MarbleClock) {
    state.withLock { $0.subscriber }?.receive(subscription: self)
    for event in marbles.events {
      let timer = clock.scheduler.schedule(after: clock.frame * event.frame) { [self] in
        send { $0.due.append(event.signal) }
      }
      state.withLock { if $0.subscriber != nil { $0.timers.append(timer) } }
    }
    state.withLock { $0.isSending = false }
    send { _ in }
  }

  func request(_ demand: Subscribers.Demand) { send { $0.demand += demand } }

  func cancel() {
    let dropped = state.withLock { state in
      defer { state.end() }
      return (state.subscriber, state.timers)
    }
    withExtendedLifetime(dropped) {}
  }

  /// Changes the state and sends what may be sent then, unless somebody further up the stack is at it.
  private func send(_ change: (inout State) -> Void) {
    let sends = state.withLock { state in
      change(&state)
      defer { state.isSending = true }
      return !state.isSending
    }
    guard sends else { return }
    while let (subscriber, signal) = state.withLock({ $0.next() }) {
      switch signal {
      case .value(let value):
        let more = subscriber.receive(value)
        state.withLock { $0.demand += more }
      case .finished: subscriber.receive(completion: .finished)
      case .failed: subscriber.receive(completion: .failure(MarbleFailure()))
      }
    }
  }
}

extension Marbles.Signal {
  fileprivate var needsDemand: Bool {
    if case .value = self { true } else { false }
  }
}
