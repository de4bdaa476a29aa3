import UploadScenario

/// A requirement that a contender broke, with what the contender did and what was required.
public struct Violation: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name of the rule that was broken.
  public let rule: String
  /// The broken requirement in one sentence.
  public let promise: String
  /// The contender's name.
  public let contender: String
  /// The pattern in which the contender broke the rule.
  public let pattern: Pattern
  /// A description of the test case in words.
  public let scenario: String
  /// The seed that repeats the test case, apart from the timing of threads.
  public let seed: UInt64
  /// What the contender did, in words.
  public let seen: String
  /// What was required, in words.
  public let promised: String

  /// Creates a violation from parts of its ``description``.
  public init(
    rule: Rule, contender: String, pattern: Pattern, scenario: String, seed: UInt64, seen: String,
    promised: String
  ) {
    self.rule = rule.name
    promise = rule.promise
    self.contender = contender
    self.pattern = pattern
    self.scenario = scenario
    self.seed = seed
    self.seen = seen
    self.promised = promised
  }

  /// The violation in one line.
  public var description: String {
    "\(contender) \(pattern.rawValue) fails \(rule): \(promise) In \(scenario): seen \(seen), required \(promised). "
      + "To repeat this, check the pattern with seed \(seed)."
  }
}

extension Duration {
  /// The duration with its unit. Examples: `3,600 s`, `10 ms`, `2.9 ms`.
  var text: String { text(in: unit) }

  /// Both durations with one common unit. Example: `4 to 9 ms`.
  func text(to other: Duration) -> String {
    guard other != self else { return text }
    let unit = min(self, other).unit
    return "\(text(in: unit).split(separator: " ")[0]) to \(other.text(in: unit))"
  }

  private var nanoseconds: Int { Int(clamping: Int128(attoseconds / 1_000_000_000)) }

  private var unit: (name: String, nanoseconds: Int) {
    switch abs(nanoseconds) {
    case 1_000_000_000...: ("s", 1_000_000_000)
    case 1..<100_000: ("µs", 1_000)
    default: ("ms", 1_000_000)
    }
  }

  private func text(in unit: (name: String, nanoseconds: Int)) -> String {
    let tenths = Int((Double(nanoseconds) / Double(unit.nanoseconds) * 10).rounded())
    let isWhole = abs(tenths) >= 100 || tenths % 10 == 0
    let number =
      isWhole
      ? Self.thousands(Int((Double(tenths) / 10).rounded()))
      : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    return "\(number) \(unit.name)"
  }

  private static func thousands(_ count: Int) -> String {
    guard count >= 1_000 else { return "\(count)" }
    let last = "\(count % 1_000)"
    return "\(thousands(count / 1_000)),\(String(repeating: "0", count: 3 - last.count))\(last)"
  }
}

extension Int {
  /// The number followed by the noun. Examples: `1 upload`, `2 uploads`.
  func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Play {
  /// This test case without the parts that break requirements which the contender declares broken, or `nil` if nothing is left.
  func avoiding(_ broken: Set<Promise>, under rule: Promise) -> Play? {
    func avoids(_ promises: Promise...) -> Bool {
      !broken.isDisjoint(with: promises) && !promises.contains(rule)
    }
    func isAbout(_ goals: Set<Goal>) -> Bool {
      let own = rule.descriptor.goals
      return !own.isEmpty && own.allSatisfy(goals.contains)
    }
    var play = self
    if avoids(.limit, .limitUsed) { play.scenario.limit = nil }
    if avoids(.withoutHandle) { play.dropsHandle = false }
    let isCancelled =
      switch stop {
      case .cancelled, .cancelledInside, .postCancelled, .atWork(_, .cancelled): true
      default: false
      }
    if isCancelled, avoids(.cancellation), !isAbout([.cancellation, .cancelledPost]) { return nil }
    let hasFailure = !refused.isEmpty || unreadable != nil
    return hasFailure && avoids(.firstFailure, .inFlightCancelled) && !isAbout([.failure]) ? nil : play
  }
}
