import Conformance
import ContenderRegistry
import RawThreads
import Testing
import UploadScenario

/// Every contender with every pattern that it states; one at a time, since each fills the machine.
@Suite(.serialized) struct ContenderTests {
  struct Subject: CustomTestStringConvertible {
    let contender: any Contender
    let pattern: Pattern

    var testDescription: String { "\(contender.name) \(pattern.rawValue)" }
  }

  static let subjects = (contenders + variants).flatMap { contender in
    contender.patterns.map { Subject(contender: contender, pattern: $0) }
  }

  @Test(arguments: subjects)
  func everyPromiseIsKept(_ subject: Subject) async {
    let violations = await violations(of: subject.contender, in: [subject.pattern])
    let known = brokenPromises.filter { $0.contender == subject.contender.name }
    for violation in violations {
      let reason = known.first {
        $0.promise == .failureLetsGoOfWaitingUploads && violation.rule == "nothing-left"
      }
      if let reason {
        withKnownIssue(Comment(rawValue: reason.reason)) { Issue.record("\(violation)") }
      } else {
        Issue.record("\(violation)")
      }
    }
  }
}

/// What the kit finds, on a thread of its own: it blocks, and the test's thread is the pool's.
func violations(
  of contender: some Contender, in patterns: [Pattern], rules: [Rule] = Rule.all,
  patience: Duration = .seconds(120)
) async -> [Violation] {
  await withCheckedContinuation { continuation in
    _ = RawThread(name: "conformance") {
      continuation.resume(
        returning: Conformance(of: contender, patience: patience, mostUploads: 5_000)
          .violations(in: patterns, rules: rules))
    }
  }
}
