import Analysis
import Results
import UploadScenario

/// The command that recorded a baseline, as one that this build can follow.
///
/// The baseline's own command says what its columns do not: latencies, faults, deadlines, budget.
struct BaselineCommand {
  /// What follows the name of the executable.
  let arguments: [String]

  /// What decides nothing about the measurement, or writes somewhere.
  private static let leftOut = [
    "--output", "--name", "--machine", "--format", "--store", "--quiet", "--watch", "--allow-debug-build",
  ]

  /// - Parameter known: the contenders and variants of this build.
  init(of baseline: RecordedRun, known: [String]) throws {
    var given = Array(baseline.environment.commandLine.dropFirst())
    if let first = given.first, !first.hasPrefix("-") {
      guard first == Subcommand.run.rawValue else {
        throw BaselineProblem(
          "\(baseline.name) was not recorded by `\(CommandName.current) run` but by `\(SafeText.neutralised(first))`: record a candidate in the same way, and give --candidate."
        )
      }
      given.removeFirst()
    }
    var (kept, rest) = ([String](), given[...])
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let option = RunOptions.options.first { $0.name == parts[0] }
      // A word that belongs to no option is for the parser to refuse.
      let value = parts.count == 2 ? parts[1] : option?.value == nil ? nil : rest.popFirst()
      switch parts[0] {
      case "--contenders": continue
      case "--scenario":
        let names = (value ?? "").split(separator: ",").map(String.init)
        kept += [parts[0], names.filter { Catalog.scenario(named: $0) != nil }.joined(separator: ",")]
      case _ where Self.leftOut.contains(parts[0]): continue
      default: kept += [parts[0]] + [value].compactMap(\.self)
      }
    }
    let contenders = baseline.contenders.filter(known.contains)
    guard !contenders.isEmpty else {
      throw BaselineProblem(
        "\(baseline.name) measured \(baseline.contenders.prefix(8).joined(separator: ", ")), none of whom this build knows."
      )
    }
    arguments = [Subcommand.run.rawValue, "--contenders", contenders.joined(separator: ",")] + kept
  }
}
