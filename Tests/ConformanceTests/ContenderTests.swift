import Conformance
import Registry
import RawThreads
import TestSupport
import Testing
import UploadScenario

/// Every contender in each of its patterns. The kit mostly waits: several at once keep the processors busy.
@Suite(.ownThread(minutes: 20)) struct ContenderTests {
  struct Subject: CustomTestStringConvertible {
    let contender: any Contender
    let pattern: Pattern

    var testDescription: String { "\(contender.name) \(pattern.rawValue)" }
  }

  /// Without the textbook's, which hang in many plays, and slowly in a process of many tests: `.ci/run` verifies them with
  /// `bench verify`.
  static let subjects = (contenders + variants).filter { !$0.name.hasPrefix("textbook/") }.flatMap {
    contender in
    contender.patterns.map { Subject(contender: contender, pattern: $0) }
  }

  @Test(arguments: subjects)
  func `every contender meets every requirement`(_ subject: Subject) async {
    let violations = await violations(of: subject.contender, in: [subject.pattern])
    let known = subject.contender.brokenRequirements.filter { $0.patterns.contains(subject.pattern) }
    for violation in violations {
      if let broken = known.first(where: { $0.rules.contains(violation.rule) }) {
        withKnownIssue(Comment(rawValue: broken.reason)) { Issue.record("\(violation)") }
      } else {
        Issue.record("\(violation)")
      }
    }
    for broken in known where !violations.contains(where: { broken.rules.contains($0.rule) }) {
      Issue.record("\(subject.testDescription) keeps \(broken.rules[0]) after all: \(broken.reason)")
    }
  }
}

/// The kit's violations; it runs on a new thread, since it blocks and the test's thread is the pool's.
func violations(
  of contender: some Contender, in patterns: [Pattern], rules: [Rule] = Rule.all,
  patience: Duration = .seconds(120), plays: Int = Effort.count(2, thorough: 8),
  mostUploads: Int = Effort.count(300, thorough: 5_000), isFirstLook: Bool = false
) async -> [Violation] {
  await withCheckedContinuation { continuation in
    _ = RawThread(name: "conformance") {
      continuation.resume(
        returning: Conformance(
          of: contender, patience: patience, plays: plays,
          schedules: Effort.count(10, thorough: 40), mostUploads: mostUploads,
          // Other tests of the process allocate memory and threads, too.
          countsLeftovers: false, isFirstLook: isFirstLook
        ).violations(in: patterns, rules: rules))
    }
  }
}
