import Foundation
import ReactiveStreams

/// The specification's rules for publishers and their subscriptions, run against one kind of publisher.
///
/// Each check makes its own publishers and returns what was broken, as values, for any test framework:
///
///     let kit = PublisherVerification { count in (0..<count).publisher }
///     #expect(kit.violations() == [])
public struct PublisherVerification<P: Publisher>: Verification {
  /// Makes a publisher of exactly this many values that then finishes.
  public let make: @Sendable (Int) -> P
  /// Makes a publisher that fails without a value.
  public let makeFailed: (@Sendable () -> P)?
  /// The most values the publisher can be asked to have: 1 for a publisher of one value.
  public let largestCount: Int
  /// How many values the check for recursion (3.3) sends.
  public let longCount: Int
  /// How long a check waits for something that has to happen on another thread.
  public let patience: Duration
  /// Makes everything that is under way happen; publishers that work on other threads or clocks need one.
  public let settle: @Sendable () -> Void

  /// All but `make` may be left out.
  public init(
    largestCount: Int = .max,
    longCount: Int = 10_000,
    patience: Duration = .seconds(10),
    settle: @escaping @Sendable () -> Void = {},
    makeFailed: (@Sendable () -> P)? = nil,
    make: @escaping @Sendable (Int) -> P
  ) {
    self.largestCount = largestCount
    self.longCount = longCount
    self.patience = patience
    self.settle = settle
    self.makeFailed = makeFailed
    self.make = make
  }

  /// What checks subscribe with.
  public typealias TestProbe = Probe<P.Output, P.Failure>

  /// All rules, in the order of the specification.
  public static var rules: [Rule] { publisherRules + subscriptionRules }

  // MARK: Helpers for the rules

  func subscribe(_ count: Int, _ probe: TestProbe) -> TestProbe {
    make(count).subscribe(probe)
    settle()
    return probe
  }

  /// A new probe on a publisher of that many values, or of as many as there can be.
  func subscribe(upTo count: Int) -> (count: Int, probe: TestProbe) {
    let count = min(count, largestCount)
    return (count, subscribe(count, TestProbe()))
  }

  func request(_ demand: Subscribers.Demand, of probe: TestProbe) {
    probe.request(demand)
    settle()
  }

  func expect(_ probe: TestProbe, has count: Int, _ rule: String) -> [Violation] {
    _ = probe.wait(upTo: patience) { $0.valueCount >= count }
    settle()
    let got = probe.valueCount
    return expect(got == count, rule, "\(count) values were due, \(got) came")
  }

  /// What no probe hears after a cancellation.
  func expectSilence(_ probe: TestProbe, _ rule: String) -> [Violation] {
    expect(probe.valueCount == 0, rule, "values came after the cancellation")
      + expect(probe.completion == nil, rule, "an end came after the cancellation") + probe.violations
  }

  func expectFinished(_ probe: TestProbe, _ rule: String) -> [Violation] {
    _ = probe.wait(upTo: patience) { $0.completion != nil }
    if case .finished = probe.completion { return [] }
    return [Violation(rule: rule, "the stream should have finished, but: \(probe.completion as Any)")]
  }
}

extension PublisherVerification {
  static var publisherRules: [Rule] {
    [
      Rule(name: "1.1 no more than was requested") { kit in
        let (count, probe) = kit.subscribe(upTo: 3)
        var broken = kit.expect(probe.valueCount == 0, "1.1", "a value came before any request")
        for expected in 1...count {
          kit.request(.max(1), of: probe)
          broken += kit.expect(probe, has: expected, "1.1")
        }
        return broken + probe.violations
      },
      Rule(name: "1.1 requests add up") { kit in
        let (count, probe) = kit.subscribe(upTo: 10)
        kit.request(.max(1), of: probe)
        kit.request(.max(2), of: probe)
        return kit.expect(probe, has: min(3, count), "1.1") + probe.violations
      },
      Rule(name: "1.2 fewer than requested, then the end") { kit in
        [1, 3].filter { $0 <= kit.largestCount }.flatMap { count in
          let probe = kit.subscribe(count, TestProbe())
          kit.request(.max(count + 10), of: probe)
          return kit.expect(probe, has: count, "1.2") + kit.expectFinished(probe, "1.2") + probe.violations
        }
      },
      Rule(name: "1.3 signals are serial under requests from many threads") { kit in
        let count = min(2000, kit.largestCount)
        // Now and then a signal takes long enough for another thread to come in.
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
        _ = probe.wait(upTo: kit.patience) { $0.completion != nil }
        guard case .failure = probe.completion else {
          return [Violation(rule: "1.4", "no failure without a request")] + probe.violations
        }
        probe.request(.unlimited)
        kit.settle()
        return kit.expect(probe.valueCount == 0, "1.4", "values came with the failure") + probe.violations
      },
      Rule(name: "1.5 the end comes once, with the last value") { kit in
        let (count, probe) = kit.subscribe(upTo: 3)
        kit.request(.max(count), of: probe)
        return kit.expectFinished(probe, "1.5") + probe.violations
      },
      Rule(name: "1.7 nothing after the end") { kit in
        let probe = kit.subscribe(1, TestProbe())
        kit.request(.unlimited, of: probe)
        let ended = kit.expectFinished(probe, "1.7")
        kit.request(.max(10), of: probe)
        kit.request(.unlimited, of: probe)
        probe.cancel()
        return ended + kit.expect(probe, has: 1, "1.7") + probe.violations
      },
      Rule(name: "1.9 the subscription comes first") { kit in
        let probe = kit.subscribe(1, TestProbe())
        let subscribed = probe.wait(upTo: kit.patience) { $0.isSubscribed }
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
    ]
  }
}
