import UploadScenario

/// One promise that contenders make.
public struct Rule: Sendable, Hashable, Codable {
  /// Names it in every report: `first-failure`.
  public let name: String
  /// What is promised, in one sentence.
  public let promise: String
  /// The patterns that make the promise.
  public let patterns: [Pattern]
  /// Whether it is about one pattern's own promise, rather than one that all share.
  let isSpecial: Bool

  init(_ name: String, _ promise: String, in patterns: [Pattern] = Pattern.allCases, isSpecial: Bool = false)
  {
    self.name = name
    self.promise = promise
    self.patterns = patterns
    self.isSpecial = isSpecial
  }

  /// A pattern's own promise.
  init(_ name: String, _ promise: String, of pattern: Pattern) {
    self.init(name, promise, in: [pattern], isSpecial: true)
  }

  /// Whether it says little about why it was broken: a script that tries a special rule reports that one instead.
  var isVague: Bool { [.ends, .notEarly, .limit, .limitUsed, .postLast].contains(self) }

  /// Every rule, in the order in which they are tried.
  public static let all: [Rule] = Script.all.map(\.rule)
}

/// A promise that a contender did not keep: where, what was seen, and what was promised.
public struct Violation: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name of the rule that was broken.
  public let rule: String
  /// What the rule says, in one sentence.
  public let promise: String
  /// The contender's name.
  public let contender: String
  /// The pattern that the contender was asked for.
  public let pattern: Pattern
  /// What the contender was asked to do and what the service did meanwhile.
  public let scenario: String
  /// The seed that repeats it, as long as the contender's own threads do.
  public let seed: UInt64
  /// What the contender did instead, in words.
  public let seen: String
  /// What it should have done there, in words.
  public let promised: String

  /// Of the rule its name and its sentence are kept; `scenario`, `seen` and `promised` are words for people, which
  /// ``description`` joins.
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

  /// All of it in one line.
  public var description: String {
    "\(contender) \(pattern.rawValue) fails \(rule): \(scenario): seen \(seen), required \(promised) (seed \(seed))"
  }
}

extension [Pattern] {
  /// Those whose uploads are as many as the post has media, or chunks.
  static let uploads = Pattern.allCases.filter { !$0.looksUp }
  /// Those whose requests can be cancelled.
  static let cancellable = Pattern.allCases.filter { !$0.blocksThreads }
  static let limited = Pattern.allCases.filter { $0.width != .all }
  /// Those in which several requests are in flight at once.
  static let concurrent = Pattern.allCases.filter { !$0.isSerial && !$0.blocksThreads }
}

/// How a rule is tried in one pattern. What else comes to light on the way is reported under its own rule.
struct Script: Sendable {
  let rule: Rule
  let run: @Sendable (PatternCheck) -> Void

  init(_ rule: Rule, run: @escaping @Sendable (PatternCheck) -> Void) {
    self.rule = rule
    self.run = run
  }

  /// For a rule that no other script, and nothing that is seen on the way, reports.
  init(
    _ name: String, _ promise: String, of pattern: Pattern, run: @escaping @Sendable (PatternCheck) -> Void
  ) {
    self.init(Rule(name, promise, of: pattern), run: run)
  }

  /// The most telling first.
  static let all: [Script] =
    success + failure + cancellation + presigned + stream + race + resilient + blocking + badInput
    + schedules + scale + answers
}
