import Conformance

// Foundation has a `Progress`, too.
import struct Conformance.Progress
import Foundation
import Harness
import UploadScenario

/// The conformance kit at work on one contender and pattern, in worker processes: whatever the contender does to its
/// process, what was found stays, and the command goes on.
struct ConformanceRun {
  let contender: String
  let pattern: Pattern
  let seed: UInt64
  /// How long a rule may take: far above anything that keeps it, and above what the kit itself waits for a hung job.
  var timeoutSeconds = 60
  /// After so many seconds without a word the user is told that a rule is waited for.
  static let patienceSeconds = 2

  struct Result {
    /// The names of the rules that were tried.
    var tried: [String] = []
    /// The names of those that were to be tried.
    var rules: [String] = []
    var violations: [Violation] = []
    var wasInterrupted = false
    /// Whether a worker gave no answer and was ended for it.
    var wasSilent = false
    /// Whether a rule is untried because other processes had the processors.
    var wasStarved = false

    var untried: [String] { rules.filter { !tried.contains($0) } }

    /// What is left to be tried after a first look: all that it has not found broken.
    var afterFirstLook: Result {
      var result = self
      result.tried = rules.filter { rule in violations.contains { $0.rule == rule } }
      return result
    }

    /// Whether it says nothing new: one of each rule is enough, and one worker's death of each kind.
    fileprivate func has(_ violation: Violation, isDeath: Bool) -> Bool {
      violations.contains { isDeath ? $0.seen == violation.seen : $0.rule == violation.rule }
    }

    /// This one, and then a run of what it had not tried.
    func followed(by rest: Result) -> Result {
      Result(
        tried: tried + rest.tried, rules: rules, violations: violations + rest.violations,
        wasInterrupted: rest.wasInterrupted, wasSilent: rest.wasSilent,
        wasStarved: wasStarved || rest.wasStarved)
    }
  }

  /// Starts a worker for the rules of these names; tests put shell scripts here.
  typealias Launch = (_ rules: [String]) throws(WorkerFailure) -> LineProcess

  /// The rule that schedules drawn from the seed are tried under.
  static let scheduleRule = "any-schedule"

  /// What a worker says when it has tried everything.
  fileprivate static let lastWord = "done"

  /// What there is to say when there is no time.
  func untried(only names: [String]? = nil) -> Result { Result(rules: rules(only: names).map(\.name)) }

  private func rules(only names: [String]?) -> [Rule] {
    Rule.all.filter { $0.patterns.contains(pattern) && names?.contains($0.name) ?? true }
  }

  /// Tries the pattern's rules, or what an earlier run had not tried, or those of the names that are given. A rule in which the process dies or falls silent is
  /// broken, and the others go on in a fresh one, unless it dies before it has begun with any. `found` is told of each
  /// violation when its rule has been tried.
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
          // What a contender says in the worker's place is no progress.
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
        // It has tried something, so there is a rule by that name; before the first rule all of them wait.
        if let rule = current ?? rules(only: result.rules).first(where: { $0.name == last }) ?? waiting.first
        {
          note(violation(of: rule, in: place, error), isDeath: true)
        }
        // What cannot be started for one rule cannot for the next.
        if current == nil, last == nil { return result }
      }
    }
    return result
  }

  /// The worker's next line; nil after its last.
  private func next(_ process: LineProcess, at rule: Rule?, _ waits: (Rule) -> Void) throws(WorkerFailure)
    -> Progress?
  {
    let line = try line(process, at: rule, waits)
    if line == Array(Self.lastWord.utf8) { return nil }
    guard let progress = try? JSONDecoder().decode(Progress.self, from: Data(line)) else {
      throw .garbled(line: String(decoding: line, as: UTF8.self))
    }
    return progress
  }

  private func line(_ process: LineProcess, at rule: Rule?, _ waits: (Rule) -> Void) throws(WorkerFailure)
    -> [UInt8]
  {
    guard let rule, timeoutSeconds > Self.patienceSeconds else {
      return try process.readLine(seconds: timeoutSeconds)
    }
    do throws(WorkerFailure) { return try process.readLine(seconds: Self.patienceSeconds) } catch {
      switch error {
      case .silent, .starved: break
      default: throw error
      }
    }
    waits(rule)
    do throws(WorkerFailure) {
      return try process.readLine(seconds: timeoutSeconds - Self.patienceSeconds)
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

/// What a worker process is to try of one contender.
struct Examination: Codable {
  let contender: String
  let pattern: Pattern
  /// Where the service calls completions; nil: `inline`.
  let context: CompletionContext?
  let rules: [String]
  let seed: UInt64
  /// How many random schedules to try.
  let schedules: Int
  /// For how long to begin anything new.
  let milliseconds: Int
  /// How long nothing may happen before a job counts as hung.
  let patienceSeconds: Int
  /// Whether only what takes next to no time is tried.
  let isFirstLook: Bool

  /// As many uploads at once as a minute for all contenders allows; the tests have other ways to more.
  private static let mostUploads = 70_000

  /// Makes this process a contender's worker under the kit: a line for the begin and the end of each rule, and a last one.
  func serve(_ contender: any Contender) -> Never {
    let kit = Conformance(
      of: contender, on: context, seed: seed, patience: .seconds(patienceSeconds),
      // All of them are played again when the row has its turn.
      plays: isFirstLook ? 2 : 4, schedules: schedules,
      mostUploads: isFirstLook ? 300 : Self.mostUploads, countsLeftovers: !isFirstLook,
      isFirstLook: isFirstLook)
    WorkerLoop.work("examiner") { [self] in
      _ = kit.violations(
        in: [pattern], rules: Rule.all.filter { rules.contains($0.name) }, budget: .milliseconds(milliseconds)
      ) { progress in
        if let line = try? JSONEncoder().encode(progress) { try? WorkerOutput.say(line) }
      }
      try? WorkerOutput.say(Data(ConformanceRun.lastWord.utf8))
      // Not `exit`: a contender's threads may still be running.
      _exit(0)
    }
  }
}
