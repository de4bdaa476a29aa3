import ReactiveStreams

/// What rule 1.11 says of a publisher that sends one stream to several subscribers.
public struct MulticastVerification<P: Publisher>: Verification {
  /// A publisher and how to make it send.
  public struct Subject: Sendable {
    /// What the probes subscribe to.
    public let publisher: P
    /// Makes it send a value that follows from this number.
    public let send: @Sendable (Int) -> Void
    /// Makes it end successfully.
    public let finish: @Sendable () -> Void

    /// The same number must make it send the same value.
    public init(
      _ publisher: P, send: @escaping @Sendable (Int) -> Void, finish: @escaping @Sendable () -> Void
    ) {
      self.publisher = publisher
      self.send = send
      self.finish = finish
    }
  }

  /// Makes one for each rule.
  public let make: @Sendable () -> Subject
  /// Whether two values are the same.
  public let areEqual: @Sendable (P.Output, P.Output) -> Bool

  /// A subject is made for each rule.
  public init(
    areEqual: @escaping @Sendable (P.Output, P.Output) -> Bool, make: @escaping @Sendable () -> Subject
  ) {
    self.make = make
    self.areEqual = areEqual
  }

  /// The same for values that can be compared.
  public init(make: @escaping @Sendable () -> Subject) where P.Output: Equatable {
    self.init(areEqual: { $0 == $1 }, make: make)
  }

  /// All rules.
  public static var rules: [Rule] {
    [
      Rule(name: "1.11 the same values in the same order, asked for one by one") { kit in
        let (subject, probes) = kit.start()
        for number in 0..<5 {
          for probe in probes { probe.request(.max(1)) }
          subject.send(number)
        }
        return kit.compare(probes, count: 5)
      },
      Rule(name: "1.11 the same values in the same order, asked for up front") { kit in
        let (subject, probes) = kit.start(asking: .max(5))
        for number in 0..<5 { subject.send(number) }
        return kit.compare(probes, count: 5)
      },
      Rule(name: "1.11 the same values, and then the end") { kit in
        let (subject, probes) = kit.start(asking: .unlimited)
        for number in 0..<5 { subject.send(number) }
        subject.finish()
        return kit.compare(probes, count: 5) + kit.expectEnded(probes)
      },
      Rule(name: "1.11 who cancels does not disturb the others") { kit in
        let (subject, probes) = kit.start(asking: .unlimited)
        subject.send(0)
        probes[1].cancel()
        subject.send(1)
        subject.finish()
        let others = [probes[0], probes[2]]
        return kit.compare(others, count: 2) + kit.expectEnded(others)
      },
    ]
  }

  typealias TestProbe = Probe<P.Output, P.Failure>

  private func start(asking demand: Subscribers.Demand = .none) -> (Subject, [TestProbe]) {
    let subject = make()
    let probes = (0..<3).map { _ in TestProbe() }
    for probe in probes { subject.publisher.subscribe(probe) }
    for probe in probes { probe.request(demand) }
    return (subject, probes)
  }

  private func compare(_ probes: [TestProbe], count: Int) -> [Violation] {
    let first = probes[0].values
    return probes.flatMap { probe in
      let values = probe.values
      let areSame = values.count != count || zip(first, values).allSatisfy(areEqual)
      return probe.violations
        + expect(values.count == count, "1.11", "\(count) values were due, \(values.count) came")
        + expect(areSame, "1.11", "\(values) came to one subscriber, \(first) to another")
    }
  }

  private func expectEnded(_ probes: [TestProbe]) -> [Violation] {
    probes.flatMap { probe in
      let hasEnded = if case .finished = probe.completion { true } else { false }
      return expect(hasEnded, "1.11", "a subscriber was not told of the end")
    }
  }
}
