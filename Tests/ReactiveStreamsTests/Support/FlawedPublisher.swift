import ReactiveStreams
import Synchronization
import TestSupport

/// The flaws of a publisher, and the checks that have to find them.
enum FlawOfPublisher: CaseIterable, Sendable {
  case ignoresDemand, forgetsDemand, neverEnds, overlaps, swallowsFailure, endsTwice, sendsAfterEnd
  case sendsBeforeSubscription, sharesProgress, isDeafInsideSignals, recurses, endsOnEachCancel
  case ignoresCancel, endsOnCancel, takesNothingForOne, finishesBatch, keepsSubscriber, wrapsDemand

  var rules: [String] {
    switch self {
    case .ignoresDemand: ["1.1 no more than was requested"]
    case .forgetsDemand: ["1.1 requests add up"]
    case .neverEnds:
      ["1.2 fewer than requested, then the end", "1.5 the end comes once, with the last value"]
    case .overlaps: ["1.3 signals are serial under requests from many threads"]
    case .swallowsFailure: ["1.4 a failure after the subscription, and nothing else"]
    case .endsTwice: ["1.5 the end comes once, with the last value"]
    case .sendsAfterEnd: ["1.7 nothing after the end"]
    case .sendsBeforeSubscription: ["1.9 the subscription comes first"]
    case .sharesProgress: ["1.11 several subscribers, each with its own demand"]
    case .isDeafInsideSignals: ["3.2 requests from inside signals"]
    case .recurses: ["3.3 no recursion through request"]
    case .endsOnEachCancel: ["3.5 cancel races with itself and with requests"]
    case .ignoresCancel:
      ["3.5 cancelling from inside the subscription", "3.6 requests after a cancellation do nothing"]
    case .endsOnCancel: ["3.7 cancelling again does nothing"]
    case .takesNothingForOne: ["3.9 a request for nothing brings nothing"]
    case .finishesBatch: ["3.12 values stop after a cancellation from inside a value"]
    case .keepsSubscriber:
      [
        "3.13 the subscriber is dropped after a cancellation",
        "3.13 the subscriber is dropped after a cancellation without any request",
        "3.13 the subscriber is dropped after the end",
      ]
    case .wrapsDemand: ["3.17 the largest demand", "3.17 demand saturates"]
    }
  }

  /// The rule that a probe reports, if it is not the check's.
  var shownRule: String? {
    switch self {
    case .endsTwice, .endsOnEachCancel: "1.7"
    default: nil
    }
  }
}

/// Sends the numbers below a count, by the rules but for one flaw.
struct FlawedPublisher: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let count: Int
  let fails: Bool
  let flaw: FlawOfPublisher?
  /// For `sharesProgress`.
  let progress = Counter()

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    let erased = AnySubscriber(subscriber)
    if flaw == .sendsBeforeSubscription { _ = erased.receive(-1) }
    let link = FlawedSubscription(
      count: count, flaw: flaw, progress: flaw == .sharesProgress ? progress : Counter(), erased)
    erased.receive(subscription: link)
    if fails { link.fail() } else { link.open() }
  }
}

/// No call is made under the lock.
private final class FlawedSubscription: Subscription {
  private struct State {
    var subscriber: AnySubscriber<Int, TestError>?
    var demand = 0
    var isSending = true
    var isCancelled = false
    var hasEnded = false
  }

  private let state: Mutex<State>
  private let count: Int
  private let flaw: FlawOfPublisher?
  private let progress: Counter
  /// For `keepsSubscriber`, and for flaws after the end.
  private let kept: AnySubscriber<Int, TestError>?

  init(
    count: Int, flaw: FlawOfPublisher?, progress: Counter,
    _ subscriber: AnySubscriber<Int, TestError>
  ) {
    self.count = count
    self.flaw = flaw
    self.progress = progress
    state = Mutex(State(subscriber: subscriber))
    kept = flaw == nil ? nil : subscriber
  }

  func open() {
    if flaw == .ignoresDemand { add(count) }
    send()
  }

  func fail() {
    let subscriber = state.withLock {
      $0.hasEnded = true
      return $0.subscriber.take()
    }
    if flaw != .swallowsFailure { subscriber?.receive(completion: .failure(TestError())) }
  }

  func request(_ demand: Subscribers.Demand) {
    let asked = demand.max ?? .max
    if flaw == .sendsAfterEnd, state.withLock({ $0.hasEnded }) { _ = kept?.receive(-1) }
    let isSending = state.withLock { $0.isSending }
    if flaw == .isDeafInsideSignals, isSending { return }
    if flaw == .overlaps || flaw == .recurses, !state.withLock({ $0.hasEnded }), asked > 0 {
      if progress.current < count {
        _ = kept?.receive(progress.add() - 1)
      }
      return
    }
    add(flaw == .takesNothingForOne ? max(1, asked) : asked)
    let sends = state.withLock { state in
      defer { state.isSending = true }
      return !state.isSending
    }
    if sends { send() }
  }

  func cancel() {
    if flaw == .endsOnEachCancel || flaw == .endsOnCancel { kept?.receive(completion: .finished) }
    if flaw == .ignoresCancel { return }
    let dropped = state.withLock {
      $0.isCancelled = true
      return $0.isSending ? nil : $0.subscriber.take()
    }
    withExtendedLifetime(dropped) {}
  }

  private func add(_ asked: Int) {
    state.withLock {
      if flaw == .wrapsDemand {
        $0.demand = ($0.demand &+ asked) &+ 1
      } else if flaw == .forgetsDemand {
        $0.demand = $0.demand > 0 ? $0.demand : asked
        if progress.current > 0 { $0.demand = min($0.demand, 1) }
      } else {
        let (sum, overflow) = $0.demand.addingReportingOverflow(asked)
        $0.demand = overflow ? .max : sum
      }
    }
  }

  /// Sends as demand allows. The caller has set `isSending`.
  private func send() {
    while let subscriber = next() {
      let number = progress.add() - 1
      if number < count {
        let more = subscriber.receive(number)
        if more > .none { add(more.max ?? .max) }
      } else {
        subscriber.receive(completion: .finished)
        if flaw == .endsTwice { subscriber.receive(completion: .finished) }
      }
    }
  }

  /// The subscriber, if there is a signal for it; else the caller no longer sends.
  private func next() -> AnySubscriber<Int, TestError>? {
    state.withLock { state in
      let isLast = progress.current >= count
      let stops = state.isCancelled && (flaw != .finishesBatch || state.demand == 0 || isLast)
      if stops { state.subscriber = nil }
      guard let subscriber = state.subscriber else {
        state.isSending = false
        return nil
      }
      if isLast {
        state.isSending = false
        if flaw == .neverEnds || state.hasEnded { return nil }
        state.hasEnded = true
        state.subscriber = nil
        return subscriber
      }
      if state.demand <= 0 {
        state.isSending = false
        return nil
      }
      if state.demand != .max { state.demand -= 1 }
      return subscriber
    }
  }
}
