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
