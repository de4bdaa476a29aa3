import Foundation
import ReactiveStreams
import Synchronization

/// A subscriber that records every signal and every violation: a second subscription, a value before the subscription or beyond
/// the demand, a signal after the end, two signals at a time, and signals inside signals.
final class Probe<Input: Sendable, Failure: Error>: Subscriber, Sendable {
  private struct State {
    var subscription: (any Subscription)?
    var values: [Input] = []
    var completion: Subscribers.Completion<Failure>?
    var requested = Subscribers.Demand.none
    var received = 0
    var deepest = 0
    var violations: [Violation] = []

    mutating func expect(_ holds: Bool, _ rule: String, _ finding: @autoclosure () -> String) {
      if !holds { violations.append(Violation(rule: rule, finding())) }
    }
  }

  private let state = Mutex(State())
  private let inside = Atomic<Int>(0)
  private let changed = NSCondition()
  private let keepsValues: Bool
  private let onSubscription: @Sendable (Probe) -> Void
  private let onValue: @Sendable (Probe, Input) -> Subscribers.Demand
  private let onCompletion: @Sendable (Probe, Subscribers.Completion<Failure>) -> Void

  /// The closures run inside the signals; what `onValue` returns is returned and counts as requested. Long streams turn
  /// `keepsValues` off.
  init(
    keepsValues: Bool = true,
    onSubscription: @escaping @Sendable (Probe) -> Void = { _ in },
    onValue: @escaping @Sendable (Probe, Input) -> Subscribers.Demand = { _, _ in .none },
    onCompletion: @escaping @Sendable (Probe, Subscribers.Completion<Failure>) -> Void = { _, _ in }
  ) {
    self.keepsValues = keepsValues
    self.onSubscription = onSubscription
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  // MARK: Signals so far

  /// In order of arrival; empty, if they are not kept.
  var values: [Input] { state.withLock { $0.values } }
  /// How many values came, kept or not.
  var valueCount: Int { state.withLock { $0.received } }
  /// How the stream ended; nil before.
  var completion: Subscribers.Completion<Failure>? { state.withLock { $0.completion } }
  var failure: Failure? { if case .failure(let error) = completion { error } else { nil } }
  var isSubscribed: Bool { state.withLock { $0.subscription != nil } }
  var subscription: (any Subscription)? { state.withLock { $0.subscription } }
  var violations: [Violation] { state.withLock { $0.violations } }
  /// The most signals at a time, nested on one thread or on several threads.
  var deepestSignal: Int { state.withLock { $0.deepest } }

  // MARK: Acting on the subscription

  /// Requests more; before the subscription the demand only counts.
  func request(_ demand: Subscribers.Demand) {
    let subscription = state.withLock {
      $0.requested += demand
      return $0.subscription
    }
    subscription?.request(demand)
  }

  func cancel() { state.withLock { $0.subscription }?.cancel() }

  /// Releases the subscription.
  func forget() { state.withLock { $0.subscription = nil } }

  /// Waits until `condition` holds, woken by signals; false when `timeout` passes first.
  func wait(upTo timeout: Duration = .seconds(10), until condition: (Probe) -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: timeout / .seconds(1))
    changed.lock()
    defer { changed.unlock() }
    while !condition(self) {
      if !changed.wait(until: deadline) { return condition(self) }
    }
    return true
  }

  // MARK: Signals

  func receive(subscription: any Subscription) {
    signal {
      let isFirst = state.withLock {
        $0.expect($0.subscription == nil, "2.5", "a second subscription came")
        if $0.subscription != nil { return false }
        $0.expect($0.completion == nil, "1.9", "the subscription came after the end")
        $0.subscription = subscription
        return true
      }
      if isFirst { onSubscription(self) } else { subscription.cancel() }
    }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    signal {
      state.withLock {
        $0.received += 1
        if keepsValues { $0.values.append(input) }
        $0.expect($0.subscription != nil, "1.9", "a value came before the subscription")
        $0.expect($0.completion == nil, "1.7", "a value came after the end")
        let (received, limit) = ($0.received, $0.requested.max ?? .max)
        $0.expect(received <= limit, "1.1", "\(received) values came, \(limit) had been requested")
      }
      let more = onValue(self, input)
      state.withLock { $0.requested += more }
      return more
    }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    signal {
      state.withLock {
        $0.expect($0.subscription != nil, "1.9", "the end came before the subscription")
        $0.expect($0.completion == nil, "1.7", "a second end came")
        $0.completion = completion
      }
      onCompletion(self, completion)
    }
  }

  /// Runs a signal's body, counting how many run at once.
  private func signal<T>(_ body: () -> T) -> T {
    let depth = inside.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    state.withLock {
      $0.deepest = max($0.deepest, depth)
      $0.expect(depth <= 1, "1.3", "a signal came during another one")
    }
    defer {
      inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      changed.lock()
      changed.broadcast()
      changed.unlock()
    }
    return body()
  }
}
