import Conformance

// Foundation has another `Progress`.
import struct Conformance.Progress
import Foundation
import Harness
import UploadScenario

/// Runs the conformance kit for one contender and pattern in worker processes, so that a crash loses no finding.
struct ConformanceRun {
  let contender: String
  let pattern: Pattern
  let seed: UInt64
  /// The timeout of a rule. It must be longer than a worker needs to report a hung job itself.
  var timeoutSeconds = 60
  /// After this time without output, a remark names the current rule.
  static let remarkSeconds = 2

  struct Result {
    var tried: [String] = []
    /// All rules to try.
    var rules: [String] = []
    var violations: [Violation] = []
    var wasInterrupted = false
    /// Whether a worker was killed because it did not answer.
    var wasSilent = false
    /// Whether a rule was not tried because other processes used the processors.
    var wasStarved = false

    var untried: [String] { rules.filter { !tried.contains($0) } }

    func passes(_ rule: String) -> Bool { tried.contains(rule) && !violations.contains { $0.rule == rule } }

    /// The result of a short first pass, for a second one to continue. Rules that have passed so far are tried again.
    var afterFirstLook: Result {
      var result = self
      result.tried = rules.filter { rule in violations.contains { $0.rule == rule } }
      return result
    }

    /// Whether an equal violation is already known: one of the same rule, or for a dead worker, one with the same text.
    fileprivate func has(_ violation: Violation, isDeath: Bool) -> Bool {
      violations.contains { isDeath ? $0.seen == violation.seen : $0.rule == violation.rule }
    }

    func followed(by rest: Result) -> Result {
      Result(
        tried: tried + rest.tried, rules: rules, violations: violations + rest.violations,
        wasInterrupted: rest.wasInterrupted, wasSilent: rest.wasSilent,
        wasStarved: wasStarved || rest.wasStarved)
    }
  }

  /// Starts a worker that tries the given rules.
  typealias Launch = (_ rules: [String]) throws(WorkerFailure) -> LineProcess

  /// The rule that tries random orders of events (schedules).
  static let scheduleRule = "any-schedule"

  /// The last line that a worker prints, when it has tried all its rules.
  fileprivate static let lastLine = "done"

  func untried(only names: [String]? = nil) -> Result { Result(rules: rules(only: names).map(\.name)) }

  private func rules(only names: [String]?) -> [Rule] {
    Rule.all.filter { $0.patterns.contains(pattern) && names?.contains($0.name) ?? true }
  }

  /// Tries the rules that an earlier pass `first` left, or else those in `names`, or else all. Passes each violation to `found`.
  ///
  /// If a worker dies or falls silent, its current rule counts as broken, and a new worker tries the other rules.
  func run(
    only names: [String]? = nil, after first: Result? = nil, found: (Violation) -> Void = { _ in },
    waits: (Rule) -> Void = { _ in },
    _ launch: Launch
  ) -> Result {
    var waiting = rules(only: first?.untried ?? names)
    var result = Result(rules: waiting.map(\.name))
    func note(_ violation: Violation, isDeath: Bool = false) {
      if result.has(violation, isDeath: isDeath) || first?.has(violation, isDeath: isDeath) ?? false {
        return
      }
      result.violations.append(violation)
      found(violation)
    }
    while !waiting.isEmpty {
      var current: Rule?
      let triedBefore = result.tried.count
      do throws(WorkerFailure) {
        let process = try launch(waiting.map(\.name))
        defer { process.stop() }
        while let progress = try next(process, at: current, waits) {
          // The contender itself may print lines that look like progress, so only lines about this run are accepted.
          guard waiting.contains(progress.rule), progress.pattern == pattern else {
            throw .garbled(line: "\(progress.rule.name) in \(progress.pattern)")
          }
          if let violations = progress.violations {
            result.tried.append(progress.rule.name)
            for violation in violations { note(violation) }
            waiting.removeAll { $0 == progress.rule }
            current = nil
          } else {
            current = progress.rule
          }
        }
        return result
      } catch .interrupted {
        result.wasInterrupted = true
        return result
      } catch .starved {
        result.wasStarved = true
        guard let current else { return result }
        waiting.removeAll { $0 == current }
      } catch {
        if case .silent = error { result.wasSilent = true }
        let last = result.tried.count > triedBefore ? result.tried.last : nil
        let place =
          current.map { "a play of \($0.name)" } ?? last.map { "after the end of \($0)" }
          ?? "before the first rule"
        if let current {
          result.tried.append(current.name)
          waiting.removeAll { $0 == current }
        }
        if let rule = current ?? rules(only: result.rules).first(where: { $0.name == last }) ?? waiting.first
        {
          note(violation(of: rule, in: place, error), isDeath: true)
        }
        // A worker that dies before its first rule would die again.
        if current == nil, last == nil { return result }
      }
    }
    return result
  }

  private func next(_ process: LineProcess, at rule: Rule?, _ waits: (Rule) -> Void) throws(WorkerFailure)
    -> Progress?
  {
    let line = try line(process, at: rule, waits)
    if line == Array(Self.lastLine.utf8) { return nil }
    guard let progress = try? JSONDecoder().decode(Progress.self, from: Data(line)) else {
      throw .garbled(line: String(decoding: line, as: UTF8.self))
    }
    return progress
  }

  private func line(_ process: LineProcess, at rule: Rule?, _ waits: (Rule) -> Void) throws(WorkerFailure)
    -> [UInt8]
  {
    guard let rule, timeoutSeconds > Self.remarkSeconds else {
      return try process.readLine(seconds: timeoutSeconds)
    }
    do throws(WorkerFailure) { return try process.readLine(seconds: Self.remarkSeconds) } catch {
      switch error {
      case .silent, .starved: break
      default: throw error
      }
    }
    waits(rule)
    do throws(WorkerFailure) {
      return try process.readLine(seconds: timeoutSeconds - Self.remarkSeconds)
    } catch .silent {
      throw .silent(seconds: timeoutSeconds)
    }
  }

  private func violation(of rule: Rule, in place: String, _ failure: WorkerFailure) -> Violation {
    Violation(
      rule: rule, contender: contender, pattern: pattern, scenario: place,
      seed: seed, seen: failure.description, promised: "that its process goes on")
  }
}

/// What a worker process must try: the JSON value of its option `--examine`.
struct Examination: Codable {
  let contender: String
  let pattern: Pattern
  /// Where the service calls completion handlers: inline, on a queue or on a pool. `nil` means inline.
  let context: CompletionContext?
  let rules: [String]
  let seed: UInt64
  let schedules: Int
  /// The time after which no new rule or schedule is started.
  let milliseconds: Int
  /// The time without any event after which a job counts as hung.
  let timeoutSeconds: Int
  let isFirstLook: Bool

  /// With jobs of at most this many uploads, all contenders are verified within a minute.
  private static let mostUploads = 70_000

  /// Tries the rules in the worker process. Prints a line when a rule begins, when a rule ends, and at the end.
  func serve(_ contender: any Contender) -> Never {
    let kit = Conformance(
      of: contender, on: context, seed: seed, patience: .seconds(timeoutSeconds),
      plays: isFirstLook ? 2 : 4, schedules: schedules,
      mostUploads: isFirstLook ? 300 : Self.mostUploads, countsLeftovers: !isFirstLook,
      isFirstLook: isFirstLook)
    WorkerLoop.work("examiner") { [self] in
      _ = kit.violations(
        in: [pattern], rules: Rule.all.filter { rules.contains($0.name) }, budget: .milliseconds(milliseconds)
      ) { progress in
        if let line = try? JSONEncoder().encode(progress) { try? WorkerOutput.say(line) }
      }
      try? WorkerOutput.say(Data(ConformanceRun.lastLine.utf8))
      // `exit` would run exit handlers while the contender's threads may still run.
      _exit(0)
    }
  }
}
