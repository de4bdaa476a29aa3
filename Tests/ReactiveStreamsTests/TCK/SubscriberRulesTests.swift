import ReactiveStreams
import ReactiveStreamsTCK
import Synchronization
import TestSupport
import Testing

@Suite("Every sink obeys every rule", .ownThread)
struct SubscriberRulesTests {
  typealias Kit = SubscriberVerification<Int, any Error>
  typealias SafeKit = SubscriberVerification<Int, Never>

  @Test(arguments: sinks, Kit.rules.map(\.name))
  func obeys(_ subscriber: SubscriberCase<Kit>, _ rule: String) async {
    #expect(await offThePool { subscriber.kit.violations(of: rule) } == [])
  }

  @Test(arguments: safeSinks, SafeKit.rules.map(\.name))
  func obeys(_ subscriber: SubscriberCase<SafeKit>, _ rule: String) {
    #expect(subscriber.kit.violations(of: rule) == [])
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
        largestCount: 1, endsOnCancel: true, patience: .seconds(600), makeFailure: { TestError() },
        makeValue: { 1 }
      ) { publisher, user in
        let subscribed = Log<Void>()
        let task = Task {
          do {
            _ = try await publisher.whenSubscribed { subscribed.add(()) }.value
            user.receive()
          } catch {
            user.end()
          }
        }
        _ = subscribed.wait(for: 1)
        return .init { task.cancel() }
      }),
    SubscriberCase("subject", through { PassthroughSubject() }),
    SubscriberCase("subject with a value", through(first: 1) { CurrentValueSubject(0) }),
  ]

  static let safeSinks: [SubscriberCase<SafeKit>] = [
    SubscriberCase("assign", assigning(.strongly)),
    SubscriberCase("assign weakly", assigning(.weakly)),
  ]

  /// A subject, and a sink behind it that leaves out what the subject has sent by itself.
  private static func through<S: Subject & Processor<Int, Int, any Error>>(
    first own: Int = 0, _ make: @escaping @Sendable () -> S
  ) -> Kit {
    Kit(makeFailure: { TestError() }, makeValue: { 1 }) { publisher, user in
      let subject = make()
      let sink = subject.dropFirst(own).sink { _ in
        user.end()
      } receiveValue: { _ in
        user.receive()
      }
      let link = SubscriptionKeeper()
      publisher.handleEvents(receiveSubscription: { link.keep($0) }).receive(subscriber: subject)
      return .init {
        link.cancel()
        sink.cancel()
      }
    }
  }

  private static func assigning(_ holding: Holding) -> SafeKit {
    SafeKit(makeValue: { 1 }) { publisher, user in
      let target = AssignTarget(user)
      let cancelled = Log<Void>()
      // Assigning does not tell of the end: it is seen on its way there.
      let sink = publisher.handleEvents(receiveCompletion: { _ in
        if cancelled.entries.isEmpty { user.end() }
      }).assign(to: \.value, on: target, holding: holding)
      return .init {
        cancelled.add(())
        withExtendedLifetime(target) { sink.cancel() }
      }
    }
  }
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

private final class AssignTarget: Sendable {
  private let user: SubscriberVerification<Int, Never>.User

  init(_ user: SubscriberVerification<Int, Never>.User) { self.user = user }

  var value: Int {
    get { 0 }
    set { user.receive() }
  }
}

/// Cancels the first subscription it was given, once: a subject itself can not be told to.
private final class SubscriptionKeeper: Sendable {
  private let kept = Mutex<AnyCancellable?>(nil)

  func keep(_ subscription: any Subscription) {
    kept.withLock { if $0 == nil { $0 = AnyCancellable { subscription.cancel() } } }
  }
  func cancel() { kept.withLock { $0 }?.cancel() }
}
