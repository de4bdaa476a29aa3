import Foundation
import UploadScenario

/// Everything that `bench run` is told.
struct RunOptions {
  static let options =
    ScenarioOptions.options + [
      Option("--reference", "NAME", "whom ratios and overheads are taken against (callbacks)"),
      Option("--quick", nil, "a first look in about ten seconds: two generations, four scenarios"),
    ] + RecordingOptions.options(budget: "60s")

  let contenders: [String]
  let scenarios: [Scenario]
  let reference: String
  let recording: RecordingOptions

  init(_ arguments: [String], known: [String]) throws {
    let options = try Options(arguments, known: Self.options)
    let isQuick = options.has("--quick")
    contenders = try ScenarioOptions.contenders(options, known: known)
    scenarios =
      try ScenarioOptions.scenarios(options) ?? (isQuick ? Catalog.quick : Catalog.standard)
    recording = try RecordingOptions(
      options, budgetNanoseconds: isQuick ? 10_000_000_000 : 60_000_000_000, generations: isQuick ? 2 : 6)
    reference = try Self.reference(options, contenders: contenders, known: known)
  }

  /// The floor, unless it is not measured: then the first contender that is.
  private static func reference(_ options: Options, contenders: [String], known: [String]) throws -> String {
    let floor = contenders.first { $0 == known.first } ?? contenders[0]
    guard let reference = options.text("--reference") else { return floor }
    guard known.contains(reference) else { throw UsageError.unknown("contender", reference, among: known) }
    guard contenders.contains(reference) else {
      throw UsageError("--reference \(reference) is not measured: add it to --contenders.")
    }
    return reference
  }
}
