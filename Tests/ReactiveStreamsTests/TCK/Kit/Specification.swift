import Foundation

/// The rules of the Reactive Streams specification 1.0.4, each with its check or the reason for none.
enum Specification {
  /// A rule, in words of our own.
  struct Entry: Sendable {
    /// As the specification numbers it, such as 1.3.
    let number: String
    /// Its content, in a few words.
    let summary: String
    /// Why no check runs it; `nil` for rules that at least one check is named after.
    let reasonWithoutCheck: String?

    init(_ number: String, _ summary: String, unchecked reason: String? = nil) {
      self.number = number
      self.summary = summary
      reasonWithoutCheck = reason
    }
  }

  /// The number of the rule that a check is named after: what its name starts with.
  static func number(ofCheck name: String) -> String { String(name.prefix { $0 != " " }) }

  /// In the order of the specification.
  static let rules: [Entry] = [
    Entry("1.1", "no more values than were requested"),
    Entry("1.2", "fewer values than requested, if there are no more"),
    Entry("1.3", "signals are serial"),
    Entry("1.4", "a failure is signalled"),
    Entry("1.5", "the end is signalled"),
    Entry("1.6", "after the end a subscription counts as cancelled", unchecked: "1.7 covers its effect"),
    Entry("1.7", "nothing after the end"),
    Entry("1.8", "signals stop after a cancellation", unchecked: "3.6 and 3.12 cover its effect"),
    Entry("1.9", "the subscription comes first, and subscribing returns"),
    Entry("1.10", "a subscriber subscribes once", unchecked: "for subscribers; publishers need not notice"),
    Entry("1.11", "several subscribers, each with its own demand"),
    Entry("2.1", "a subscriber requests values"),
    Entry("2.2", "signals are handled promptly", unchecked: "the user decides how long is too long"),
    Entry("2.3", "the subscription is left alone inside the end"),
    Entry("2.4", "after the end the subscription counts as cancelled"),
    Entry("2.5", "a second subscription is cancelled"),
    Entry("2.6", "a subscription that is not needed is cancelled"),
    Entry(
      "2.7", "requests and cancellations are serial",
      unchecked: "stricter than needed here: subscriptions take calls from any thread"),
    Entry("2.8", "values after a cancellation are tolerated"),
    Entry("2.9", "an end is accepted with and without demand"),
    Entry("2.10", "a failure is accepted with and without demand"),
    Entry("2.11", "signals happen before their handling", unchecked: "Thread Sanitizer detects it"),
    Entry("2.12", "one subscription for one subscriber", unchecked: "2.5 covers its effect"),
    Entry("2.13", "signals return normally"),
    Entry("3.1", "a subscription is used by its subscriber", unchecked: "nothing else can reach it"),
    Entry("3.2", "requests from inside signals"),
    Entry("3.3", "no recursion through requests"),
    Entry("3.4", "requests are quick", unchecked: "the user decides how long is too long"),
    Entry("3.5", "cancellations are quick, idempotent and safe on any thread"),
    Entry("3.6", "requests after a cancellation do nothing"),
    Entry("3.7", "cancellations after a cancellation do nothing"),
    Entry("3.8", "requests add up"),
    Entry("3.9", "a request for nothing brings nothing, and a negative one cannot be made"),
    Entry("3.10", "values inside a request"),
    Entry("3.11", "an end inside a request"),
    Entry("3.12", "values stop after a cancellation"),
    Entry("3.13", "the subscriber is dropped"),
    Entry("3.14", "a cancellation may stop the publisher", unchecked: "a permission"),
    Entry("3.15", "a cancellation returns normally", unchecked: "Swift's cancel cannot throw"),
    Entry("3.16", "a request returns normally", unchecked: "Swift's request cannot throw"),
    Entry("3.17", "demand without bound"),
    Entry("4.1", "a processor obeys both sides: demand and cancellation go up"),
    Entry("4.2", "a failure goes down at once"),
  ]
}

/// A broken rule of the Reactive Streams specification, and the finding.
struct Violation: Sendable, Hashable, CustomStringConvertible {
  /// The specification's number of the rule, as "1.3".
  let rule: String
  let finding: String

  init(rule: String, _ finding: String) { (self.rule, self.finding) = (rule, finding) }

  var description: String { "rule \(rule): \(finding)" }
}

/// Rules of the specification for one kind of object, which a value of this type makes for each check.
protocol Verification: Sendable {
  /// All rules, in the order of the specification.
  static var rules: [VerificationRule<Self>] { get }
}

extension Verification {
  typealias Rule = VerificationRule<Self>

  func violations() -> [Violation] { Self.rules.flatMap { $0.check(self) } }

  /// Runs one rule, by its name in `rules`.
  func violations(of name: String) -> [Violation] {
    Self.rules.filter { $0.name == name }.flatMap { $0.check(self) }
  }

  /// Nothing if it holds, else a violation of the rule.
  func expect(_ holds: Bool, _ rule: String, _ finding: @autoclosure () -> String) -> [Violation] {
    holds ? [] : [Violation(rule: rule, finding())]
  }
}

/// Waits until another thread makes a condition true; false when `timeout` passes first.
func wait(upTo timeout: Duration, until condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + timeout
  while !condition() {
    if ContinuousClock.now >= deadline { return condition() }
    Thread.sleep(forTimeInterval: 0.0005)
  }
  return true
}

/// A rule of the specification, and how it is checked.
struct VerificationRule<Kit: Verification>: Sendable {
  /// Begins with the number of the specification's rule.
  let name: String
  let check: @Sendable (Kit) -> [Violation]
}
