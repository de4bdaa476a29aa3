import Dispatch
import ReactiveStreams
import TestSupport
import Testing

@Suite("Every sink obeys every rule", .ownThread) struct SubscriberRulesTests {
  typealias Kit = SubscriberVerification<Int, any Error>

  @Test(arguments: sinks, Kit.rules.map(\.name))
  func `a sink obeys the rule`(_ subscriber: SubscriberCase<Kit>, _ rule: String) async {
    #expect(await offThePool { subscriber.kit.violations(of: rule) } == [])
  }

  static let sinks: [SubscriberCase<Kit>] = [
    SubscriberCase(
      "sink",
      Kit(makeFailure: { TestError() }, makeValue: { 1 }) { publisher, user in
        let sink = publisher.sink { _ in
          user.end()
        } receiveValue: { _ in
          user.receive()
        }
        return .init { sink.cancel() }
      }),
    SubscriberCase(
      "result",
      Kit(largestCount: 1, endsOnCancel: true, makeFailure: { TestError() }, makeValue: { 1 }) {
        publisher, user in
        let sink = publisher.subscribe { result in
          if case .success = result { user.receive() } else { user.end() }
        }
        return .init { sink.cancel() }
      }),
    SubscriberCase(
      "value",
      Kit(
        largestCount: 1, endsOnCancel: true, timeout: .seconds(600), makeFailure: { TestError() },
        makeValue: { 1 }
      ) { publisher, user in
        let subscribed = DispatchSemaphore(value: 0)
        let task = Task {
          do {
            _ = try await WhenSubscribed(upstream: publisher) { subscribed.signal() }.value
            user.receive()
          } catch {
            user.end()
          }
        }
        _ = subscribed.wait(timeout: .now() + 20)
        return .init { task.cancel() }
      }),
  ]
}

struct SubscriberCase<Kit: Sendable>: Sendable, CustomTestStringConvertible {
  let name: String
  let kit: Kit

  init(_ name: String, _ kit: Kit) {
    self.name = name
    self.kit = kit
  }

  var testDescription: String { name }
}

/// Calls back when the subscriber has its subscription.
private struct WhenSubscribed<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let action: @Sendable () -> Void

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(Input(downstream: subscriber, action: action))
  }

  private struct Input<Downstream: Subscriber>: Subscriber {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    var downstream: Downstream
    let action: @Sendable () -> Void

    mutating func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
      action()
    }
    mutating func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
    mutating func receive(completion: Subscribers.Completion<Failure>) {
      downstream.receive(completion: completion)
    }
  }
}

/// Runs work that blocks its thread until tasks make progress, off the threads of tests and tasks; one at a time.
private func offThePool<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    blockingChecks.async { continuation.resume(returning: body()) }
  }
}

private let blockingChecks = DispatchQueue(label: "blocking checks")
