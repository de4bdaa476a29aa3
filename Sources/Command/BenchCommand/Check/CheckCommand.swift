import Verdicts
import Foundation

/// Whether something costs more than it did: than another build, measured interleaved, here and now.
enum CheckCommand {
  /// One way to ask: what it asks about, the option that asks, and what answers.
  private typealias Question = (
    what: String, option: Option, others: [Option],
    answer: (Options, ContenderList, CheckOutput) throws -> CheckReport
  )

  private static var questions: [Question] {
    [
      (
        "another build", AgainstOptions.options[0], Array(AgainstOptions.options.dropFirst()),
        AgainstCheck.report
      ),
      (
        "a recorded run", BaselineOptions.options[0], Array(BaselineOptions.options.dropFirst()),
        BaselineCheck.report
      ),
      (
        "committed counts", CountersOptions.options[0], Array(CountersOptions.options.dropFirst()),
        CountersCheck.report
      ),
    ]
  }

  static var options: [Option] {
    let all = questions.map(\.option) + questions.flatMap(\.others) + CheckOutput.options
    // What several questions understand stands there once.
    return all.enumerated().filter { index, option in !all[..<index].contains { $0.name == option.name } }
      .map(\.element)
  }

  /// What each question understands, below it, and what all of them do.
  static var optionGroups: [(title: String, options: [Option])] {
    questions.map { ("against \($0.what)", [$0.option] + $0.others) }
      + [("each of them", CheckOutput.options)]
  }

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(CountersOptions.completed(arguments), known: self.options)
    let output = try CheckOutput(options)
    let asked = questions.filter { options.has($0.option.name) }
    guard let question = asked.first else {
      let ways = questions.map(\.option.usage).joined(separator: ", or ")
      throw UsageError("check needs something to check against: \(ways).")
    }
    if asked.count > 1 {
      throw UsageError("\(asked[0].option.name) and \(asked[1].option.name) are two checks: ask for one.")
    }
    let understood = ([question.option] + question.others + CheckOutput.options).map(\.name)
    let foreign = self.options.map(\.name).filter { !understood.contains($0) }
    if let name = options.firstGiven(foreign) {
      throw UsageError("\(name) says nothing to a check with \(question.option.name).")
    }
    try output.refuseUnwritableReport()
    try Preparation.begin()
    var report = try question.answer(options, known, output)
    report.idioms.merge(known.idiomRecords(of: known.all) ?? [:]) { recorded, _ in recorded }
    Terminal.print(try output.text(report))
    try output.keep(report)
    return output.exitCode(report)
  }
}
