import ReactiveStreams
import Synchronization
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
        let subscribed = Log<Void>()
        let task = Task {
          do {
            _ = try await publisher.whenSubscribed { subscribed.append(()) }.value
            user.receive()
          } catch {
            user.end()
          }
        }
        _ = subscribed.wait(for: 1)
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
