import Conformance
import Foundation
@testable import Harness
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

/// The parent's side of a run of the kit, against shell scripts that play the worker.
@Suite(.ownThread) struct ConformanceRunTests {
  private let rules = Rule.all.filter { $0.patterns.contains(.publish) }

  /// A worker that reads nothing and says these lines, then does something else.
  private func process(_ lines: [String], then end: String = "") throws(WorkerFailure) -> LineProcess {
    let said = lines.map { "printf '%s\\n' '\($0)'\n" }.joined()
    return try LineProcess(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", said + end], isInterrupted: { false })
  }

  private func line(_ rule: Rule, violations: [Violation]? = nil) -> String {
    func json(_ value: some Encodable) -> String {
      String(decoding: (try? JSONEncoder().encode(value)) ?? Data(), as: UTF8.self)
        .replacing("'", with: "\\u0027")
    }
    let found = violations.map { ",\"violations\":\(json($0))" } ?? ""
    return "{\"rule\":\(json(rule)),\"pattern\":\"publish\"\(found)}"
  }

  private func tried(_ rules: some Sequence<Rule>) -> [String] {
    rules.flatMap { [line($0), line($0, violations: [])] }
  }

  private var violation: Violation {
    Violation(
      rule: rules[0], contender: "a", pattern: .publish, scenario: "s", seed: 7, seen: "x", promised: "y")
  }

  private let kit = ConformanceRun(contender: "a", pattern: .publish, seed: 7)

  @Test func `a violation is reported while the worker tries the next rule`() throws {
    let told = try Scratch()
    let kit = ConformanceRun(contender: "a", pattern: .publish, seed: 7, timeoutSeconds: 20)
    let result = kit.run { violation in
      _ = FileManager.default.createFile(atPath: told.path(violation.rule), contents: nil)
    } _: { _ throws(WorkerFailure) in
      try process(
        [line(rules[0]), line(rules[0], violations: [violation]), line(rules[1])],
        then: "while [ ! -e '\(told.path(rules[0].name))' ]; do sleep 0.01; done; echo done")
    }
    #expect(result.violations == [violation])
    #expect(!result.passes(rules[0].name))
    #expect(result.tried == [rules[0].name])
  }

  @Test(arguments: [
    ("kill -11 $$", "its worker died: signal 11"), ("exit 4", "its worker died: exit status 4"),
    ("echo nonsense; read line", "its worker answered something else than a sample: nonsense"),
    ("read line", "its worker gave no answer within 1 s and was ended"),
  ])
  func `a rule in which the worker ends is broken, and the others are tried`(end: String, seen: String) {
    var starts: [[String]] = []
    let kit = ConformanceRun(contender: "a", pattern: .publish, seed: 7, timeoutSeconds: 1)
    let result = kit.run { names throws(WorkerFailure) in
      starts.append(names)
      return starts.count == 1
        ? try process(tried(rules.prefix(2)) + [line(rules[2])], then: end)
        : try process(tried(rules.dropFirst(3)) + ["done"])
    }
    #expect(starts == [rules.map(\.name), rules.dropFirst(3).map(\.name)])
    #expect(result.tried == rules.map(\.name) && result.untried.isEmpty)
    #expect(result.violations.map(\.rule) == [rules[2].name])
    #expect(result.violations.first?.seen == seen)
    #expect(result.violations.first?.seed == 7)
  }

  @Test func `a violation found at first is neither tried nor reported again`() {
    let look = kit.run { _ throws(WorkerFailure) in
      try process(
        [line(rules[0]), line(rules[0], violations: [violation])] + tried(rules.dropFirst()) + ["done"])
    }.afterFirstLook
    #expect(look.tried == [rules[0].name])
    var told: [Violation] = []
    let rest = kit.run(after: look) {
      told.append($0)
    } _: { names throws(WorkerFailure) in
      #expect(names == rules.dropFirst().map(\.name))
      return try process(
        [line(rules[1]), line(rules[1], violations: [violation])] + tried(rules.dropFirst(2)) + ["done"])
    }
    #expect(told == [])
    let both = look.followed(by: rest)
    #expect(both.untried.isEmpty)
    #expect(both.violations == [violation])
  }

  @Test func `a worker that cannot start twice is reported once`() {
    let look = kit.run { _ throws(WorkerFailure) in throw .cannotStart(reason: "no disk") }.afterFirstLook
    let rest = kit.run(after: look) { _ throws(WorkerFailure) in throw .cannotStart(reason: "no disk") }
    #expect(look.violations.map(\.seen) == ["its worker could not be started: no disk"])
    #expect(rest.violations == [])
  }

  @Test(arguments: [
    ("exit 3", "its worker died: exit status 3"), ("printf '{\"rule'", "its worker died: exit status 0"),
    ("echo garbage; read line", "its worker answered something else than a sample: garbage"),
  ])
  func `a failure after the last rule counts for the last rule`(end: String, seen: String) throws {
    let result = kit.run { _ throws(WorkerFailure) in try process(tried(rules), then: end) }
    #expect(result.tried == rules.map(\.name))
    let violation = try #require(result.violations.first)
    #expect(result.violations.count == 1)
    #expect(violation.rule == rules[rules.count - 1].name)
    #expect(violation.scenario == "after the end of \(violation.rule)")
    #expect(violation.seen == seen)
  }

  @Test func `a worker that dies before the first rule is not started again`() {
    var starts = 0
    let result = kit.run { _ throws(WorkerFailure) in
      starts += 1
      return try process([], then: "kill -6 $$")
    }
    #expect(starts == 1)
    #expect(result.violations.map(\.scenario) == ["before the first rule"])
    #expect(result.untried == rules.map(\.name))
  }

  /// It may not have tried them.
  @Test func `a worker that tries other rules than requested is no progress`() {
    let result = kit.run(only: [rules[0].name]) { _ throws(WorkerFailure) in
      try process(tried(rules.dropFirst()) + ["done"])
    }
    #expect(result.tried.isEmpty)
    #expect(result.violations.count == 1)
  }

  @Test func `an interrupt ends the run without a violation`() {
    let result = kit.run { _ throws(WorkerFailure) in
      try LineProcess(
        executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", "read line"], isInterrupted: { true })
    }
    #expect(result.wasInterrupted)
    #expect(result.violations.isEmpty)
  }
}
