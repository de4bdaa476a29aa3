import Conformance
import Foundation
import UploadScenario

// Tries one mutant: MutantRunner CONTENDER PATTERN... The mutant's number is FANOUT_MUTANT, which the mutated sources
// read; none: the contender as it is. A line for each rule as it begins, so that it is seen which one hangs, and for
// each pattern that has passed. Ends at the first violation with exit code 1.
// Scripts/mutate builds this in a copy of the checkout, with a file that says `contenders` and `functionsEntered`.

let arguments = Array(CommandLine.arguments.dropFirst())
guard let name = arguments.first, let contender = contenders[name] else { fatalError("no such contender") }
for row in arguments.dropFirst() {
  guard let pattern = Pattern(rawValue: row) else { fatalError("no pattern \(row)") }
  let patience = Int64(ProcessInfo.processInfo.environment["FANOUT_PATIENCE"] ?? "") ?? 1
  let kit = Conformance(of: contender, seed: 1, patience: .seconds(patience), mostUploads: 10_000)
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
