import Foundation
import ReactiveStreams

/// The specification's rules for publishers and their subscriptions, run against one kind of publisher.
struct PublisherVerification<P: Publisher>: Verification {
  /// The most values the publisher can have: 1 for a publisher of one value.
  var largestCount = Int.max
  /// How many values the check for recursion (3.3) sends.
  var longCount = 10_000
  /// How long a check waits for another thread.
  var timeout = Duration.seconds(10)
  /// Completes pending work; publishers that work on other threads or clocks need one.
  var settle: @Sendable () -> Void = {}
  /// Makes a publisher that fails without a value.
  var makeFailed: (@Sendable () -> P)?
  /// Makes a publisher of exactly this many values that then finishes.
  let make: @Sendable (Int) -> P

  typealias TestProbe = Probe<P.Output, P.Failure>

  // MARK: Helpers for the rules

  func subscribe(_ count: Int, _ probe: TestProbe) -> TestProbe {
    make(count).subscribe(probe)
    settle()
    return probe
  }

  func request(_ demand: Subscribers.Demand, of probe: TestProbe) {
    probe.request(demand)
    settle()
  }

  func expect(_ probe: TestProbe, has count: Int, _ rule: String) -> [Violation] {
    _ = probe.wait(upTo: timeout) { $0.valueCount >= count }
    settle()
    let got = probe.valueCount
    return expect(got == count, rule, "\(count) values were due, \(got) came")
  }

  /// Runs `act` on a subscribed probe and reports when the publisher still holds the probe afterwards.
  func expectDropped(_ rule: String, after act: (TestProbe) -> Void) -> [Violation] {
    weak var dropped: TestProbe?
    var held: (any Subscription)?
    var broken: [Violation] = []
    do {
      let probe = subscribe(min(3, largestCount), TestProbe())
      dropped = probe
      act(probe)
      settle()
      held = probe.subscription
      broken = probe.violations
      probe.forget()
    }
    // The subscription stays alive: it has to release the probe before its deinit.
    return withExtendedLifetime(held) {
      // The publisher's thread may still be inside the signal that woke this one.
      let isDropped = wait(upTo: timeout) { dropped == nil }
      return broken + expect(isDropped, rule, "the subscriber is still referenced")
    }
  }
}

/// Most rules are a script: the steps of one subscriber, and the expected signals.
extension PublisherVerification {
  enum Step {
    case request(Subscribers.Demand)
    case cancel
    /// That many values have come, or all if there are fewer.
    case has(Int)
    case hasFinished
    /// No signal has come after the cancellation.
    case isSilent
  }

  /// - Parameter values: how many values the publisher has; the script is run for each number.
  private static func script(
    _ name: String, values: Int..., inSubscription: @escaping @Sendable (TestProbe) -> Void = { _ in },
    inValue: @escaping @Sendable (TestProbe) -> Subscribers.Demand = { _ in .none }, steps: [Step]
  ) -> Rule {
    Rule(name: name) { kit in
      values.flatMap { count in
        let count = min(count, kit.largestCount)
        let probe = TestProbe(onSubscription: inSubscription, onValue: { probe, _ in inValue(probe) })
        _ = kit.subscribe(count, probe)
        let number = Specification.number(ofCheck: name)
        return steps.flatMap { kit.take($0, probe, of: count, number) } + probe.violations
      }
    }
  }

  private func take(_ step: Step, _ probe: TestProbe, of count: Int, _ rule: String) -> [Violation] {
    switch step {
    case .request(let demand): request(demand, of: probe)
    case .cancel:
      probe.cancel()
      settle()
    case .has(let wanted): return expect(probe, has: min(wanted, count), rule)
    case .hasFinished:
      _ = probe.wait(upTo: timeout) { $0.completion != nil }
      if case .finished = probe.completion { return [] }
      return [Violation(rule: rule, "the stream should have finished, but: \(probe.completion as Any)")]
    case .isSilent:
      return expect(probe.valueCount == 0, rule, "values came after the cancellation")
        + expect(probe.completion == nil, rule, "an end came after the cancellation")
    }
    return []
  }

  static var rules: [Rule] {
    [
      script(
        "1.1 no more than was requested", values: 3,
        steps: [
          .has(0), .request(.max(1)), .has(1), .request(.max(1)), .has(2), .request(.max(1)), .has(3),
        ]),
      script(
        "1.1 requests add up", values: 10, steps: [.request(.max(1)), .request(.max(2)), .has(3)]),
      script(
        "1.2 fewer than requested, then the end", values: 1, 3,
        steps: [.request(.max(13)), .has(3), .hasFinished]),
      Rule(name: "1.3 signals are serial under requests from many threads") { kit in
        let count = min(2000, kit.largestCount)
        // Some signals take long enough for another thread to come in.
        let slow = TestProbe(
          keepsValues: false,
          onValue: { probe, _ in
            if probe.valueCount.isMultiple(of: 64) { Thread.sleep(forTimeInterval: 0.0001) }
            return .none
          })
        let probe = kit.subscribe(count, slow)
        // Threads of our own: a busy pool would run the requests one after another.
        let running = DispatchGroup()
        for _ in 0..<4 {
          running.enter()
          Thread.detachNewThread {
            for _ in 0..<(count / 4 + 1) { probe.request(.max(1)) }
            running.leave()
          }
        }
        running.wait()
        kit.settle()
        return kit.expect(probe, has: count, "1.3") + probe.violations
      },
      Rule(name: "1.4 a failure after the subscription, and nothing else") { kit in
        guard let makeFailed = kit.makeFailed else { return [] }
        let probe = TestProbe()
        makeFailed().subscribe(probe)
        kit.settle()
        _ = probe.wait(upTo: kit.timeout) { $0.completion != nil }
        guard case .failure = probe.completion else {
          return [Violation(rule: "1.4", "no failure without a request")] + probe.violations
        }
        kit.request(.unlimited, of: probe)
        return kit.expect(probe.valueCount == 0, "1.4", "values came with the failure") + probe.violations
      },
      script(
        "1.5 the end comes once, with the last value", values: 3, steps: [.request(.max(3)), .hasFinished]),
      script(
        "1.7 nothing after the end", values: 1,
        steps: [
          .request(.unlimited), .hasFinished, .request(.max(10)), .request(.unlimited), .cancel, .has(1),
        ]),
      Rule(name: "1.9 the subscription comes first") { kit in
        let probe = kit.subscribe(1, TestProbe())
        let subscribed = probe.wait(upTo: kit.timeout) { $0.isSubscribed }
        return kit.expect(subscribed, "1.9", "no subscription came") + probe.violations
      },
      Rule(name: "1.11 several subscribers, each with its own demand") { kit in
        let count = min(3, kit.largestCount)
        let publisher = kit.make(count)
        let eager = TestProbe()
        let idle = TestProbe()
        publisher.subscribe(eager)
        publisher.subscribe(idle)
        kit.request(.unlimited, of: eager)
        let broken = kit.expect(eager, has: count, "1.11") + kit.expect(idle, has: 0, "1.11")
        kit.request(.unlimited, of: idle)
        return broken + kit.expect(idle, has: count, "1.11") + eager.violations + idle.violations
      },
      script(
        "3.2 requests from inside signals", values: 5, inSubscription: { $0.request(.max(1)) },
        inValue: requestsOne, steps: [.has(5), .hasFinished]),
      Rule(name: "3.3 no recursion through request") { kit in
        let count = min(kit.longCount, kit.largestCount)
        let probe = TestProbe(keepsValues: false, onValue: { probe, _ in requestsOne(probe) })
        _ = kit.subscribe(count, probe)
        kit.request(.max(1), of: probe)
        let broken = kit.expect(probe, has: count, "3.3")
        let depth = probe.deepestSignal
        return broken + kit.expect(depth <= 1, "3.3", "signals went \(depth) deep") + probe.violations
      },
      Rule(name: "3.5 cancel races with itself and with requests") { kit in
        (0..<200).flatMap { _ in
          let probe = kit.subscribe(min(10, kit.largestCount), TestProbe())
          DispatchQueue.concurrentPerform(iterations: 3) { index in
            if index == 0 { probe.request(.max(2)) } else { probe.cancel() }
          }
          return probe.violations
        }
      },
      script(
        "3.5 cancelling from inside the subscription", values: 3,
        inSubscription: {
          $0.request(.max(1))
          $0.cancel()
        }, steps: [.request(.unlimited), .isSilent]),
      script(
        "3.6 requests after a cancellation do nothing", values: 3,
        steps: [.cancel, .request(.max(1)), .request(.unlimited), .isSilent]),
      script(
        "3.7 cancelling again does nothing", values: 3, steps: [.cancel, .cancel, .cancel, .isSilent]),
      script(
        "3.9 a request for nothing brings nothing", values: 1,
        steps: [.request(.none), .has(0), .request(.max(1)), .has(1)]),
      script(
        "3.12 values stop after a cancellation from inside a value", values: 10,
        inValue: {
          $0.cancel()
          return .none
        }, steps: [.request(.max(10)), .has(1)]),
      Rule(name: "3.13 the subscriber is dropped after a cancellation") { kit in
        kit.expectDropped("3.13") { probe in
          kit.request(.max(1), of: probe)
          probe.cancel()
        }
      },
      Rule(name: "3.13 the subscriber is dropped after a cancellation without any request") { kit in
        kit.expectDropped("3.13") { $0.cancel() }
      },
      Rule(name: "3.13 the subscriber is dropped after the end") { kit in
        kit.expectDropped("3.13") { probe in
          kit.request(.unlimited, of: probe)
          _ = probe.wait(upTo: kit.timeout) { $0.completion != nil }
        }
      },
      script("3.17 the largest demand", values: 3, steps: [.request(.max(.max)), .has(3), .hasFinished]),
      script(
        "3.17 demand saturates", values: 3,
        inSubscription: {
          $0.request(.max(.max / 2))
          $0.request(.max(.max / 2))
          $0.request(.max(1))
        },
        inValue: {
          $0.request(.max(.max - 1))
          return .unlimited
        }, steps: [.has(3), .hasFinished]),
    ]
  }

  private static func requestsOne(_ probe: TestProbe) -> Subscribers.Demand {
    probe.request(.max(1))
    return .none
  }
}
