import Verdicts
import Foundation
import Harness
import UploadScenario

/// Whether something costs more than it did: than another build, measured interleaved, here and now.
struct CheckCommand {
  /// One way to ask: what it asks about, the option that asks, and what answers.
  private typealias Question = (
    what: String, option: Option, others: [Option],
    answer: (Options, ContenderList, CheckOutput) throws -> CheckReport
  )

  private let questions: [Question]

  private init(
    _ questions: [(
      what: String, options: [Option], answer: (Options, ContenderList, CheckOutput) throws -> CheckReport
    )]
  ) {
    self.questions = questions.map { ($0.what, $0.options[0], Array($0.options.dropFirst()), $0.answer) }
  }

  private static let operations = Option(
    "--operations", "A,B", "operations of the runtimes, by name or glob, in place of scenarios")

  /// What a check of uploads, and of the runtimes' operations, can be asked.
  static var ofUploads: CheckCommand {
    CheckCommand([
      (
        "another build", AgainstCheck.options(works: [AgainstCheck.scenarios, operations]),
        ask(AgainstCheck.self)
      ),
      ("a recorded run", BaselineOptions.options, BaselineCheck.report),
      (
        "committed counts", CountersFile.options(works: [CountersFile.scenarios, operations]),
        ask(CountersCheck.self)
      ),
    ])
  }

  /// What a check of a package's own benchmarks can be asked.
  static var ofBenchmarks: CheckCommand {
    let named = Option("--benchmarks", "A,B", "which benchmarks, by name or glob (all)")
    return CheckCommand([
      ("another build", AgainstCheck.options(works: [named]), ask(AgainstCheck.self)),
      ("committed counts", CountersFile.options(works: [named]), ask(CountersCheck.self)),
    ])
  }

  /// What answers a question of whatever kind of work is meant.
  private static func ask(_ check: any SubjectCheck.Type) -> (Options, ContenderList, CheckOutput) throws ->
    CheckReport
  {
    { options, known, output in
      if options.has(operations.name), options.has("--scenario") {
        throw UsageError("--scenario and --operations are two checks: ask for one.")
      }
      guard known.isSuite || options.has(operations.name) else {
        return try check.report(options, CheckSubjects(uploads: known), output)
      }
      known.benchmarks.sayRemark()
      return try check.report(options, CheckSubjects(benchmarks: known), output)
    }
  }

  var options: [Option] {
    let all = questions.map(\.option) + questions.flatMap(\.others) + CheckOutput.options
    // What several questions understand stands there once.
    return all.enumerated().filter { index, option in !all[..<index].contains { $0.name == option.name } }
      .map(\.element)
  }

  /// What each question understands, below it, and what all of them do.
  var optionGroups: [(title: String, options: [Option])] {
    questions.map { ("against \($0.what)", [$0.option] + $0.others) }
      + [("each of them", CheckOutput.options)]
  }

  func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(CountersFile.completed(arguments), known: self.options)
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

/// A check that can be asked about any kind of work.
protocol SubjectCheck {
  /// - Throws: `Interrupted`, if the user ended it.
  static func report<Work: Workload>(
    _ options: Options, _ subjects: CheckSubjects<Work>, _ output: CheckOutput
  ) throws -> CheckReport
}
