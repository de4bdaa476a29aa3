import Conformance
import Foundation
import UploadScenario

// Tests one mutant: MutantRunner CONTENDER PATTERN... The mutated sources read its number from FANOUT_MUTANT; without it, the
// contender is unchanged. Prints a line for each rule as it begins, so that a hang is seen, and for each passed pattern; exits
// with 1 at the first violation.
//
// Scripts/mutate builds this in a copy of the checkout, with a file that defines `contenders` and `functionsEntered`.

let arguments = Array(CommandLine.arguments.dropFirst())
guard let name = arguments.first, let contender = contenders[name] else { fatalError("no such contender") }
for row in arguments.dropFirst() {
  guard let pattern = Pattern(rawValue: row) else { fatalError("no pattern \(row)") }
  let timeout = Int64(ProcessInfo.processInfo.environment["FANOUT_PATIENCE"] ?? "") ?? 1
  let kit = Conformance(of: contender, seed: 1, patience: .seconds(timeout), mostUploads: 10_000)
  let start = ContinuousClock.now
  let all = kit.violations(in: [pattern]) { progress in
    say("rule", row, progress.rule.name)
    if let violation = progress.violations?.first { end(violation, row) }
  }
  if let violation = all.first { end(violation, row) }
  say("passed", row, (ContinuousClock.now - start) / .seconds(1), functionsEntered())
}
// Not `exit`: a contender's threads may still be running.
_exit(0)

func end(_ violation: Violation, _ row: String) -> Never {
  let seen = violation.seen.split(whereSeparator: \.isNewline).joined(separator: " ")
  say("violated", row, violation.rule, "\(violation.scenario): \(seen)")
  _exit(1)
}

func say(_ words: CustomStringConvertible...) {
  FileHandle.standardOutput.write(Data((words.map(\.description).joined(separator: "\t") + "\n").utf8))
}
