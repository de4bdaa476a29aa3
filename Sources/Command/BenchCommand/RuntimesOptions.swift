import RuntimeOperations

/// Everything that `bench runtimes` is told.
struct RuntimesOptions {
  static let options =
    [
      Option("--operations", "A,B", "which operations, as `\(CommandName.current) list` shows them (all)"),
      Option("--contenders", "A,B", "contenders to measure beside the reference (all)"),
      ScenarioOptions.seed,
    ] + RecordingOptions.options(budget: "60s", format: ReportFormat.option(.runtimes))

  let operations: [RuntimeOperation]
  /// Those who take part in anything, the reference first.
  let contenders: [RuntimeContender]
  let recording: RecordingOptions
  let format: ReportFormat

  init(_ arguments: [String], known: [RuntimeContender]) throws {
    let options = try Options(arguments, known: Self.options)
    let wanted = try Self.contenders(options, known: known.map(\.name))
    let chosen = known.filter { $0.name == RuntimeOperation.referenceName || wanted.contains($0.name) }
    let names = try options.list("--operations")
    let all = RuntimeOperation.all + (names == nil ? [] : RuntimeOperation.large)
    for name in names ?? [] where !all.contains(where: { $0.name == name }) {
      throw UsageError.unknown("operation", name, among: all.map(\.name))
    }
    // An operation that none of the wanted contenders implements would be a table of the reference alone.
    func isImplemented(_ operation: RuntimeOperation) -> Bool {
      chosen.dropFirst().contains { $0.implementations[operation] != nil }
    }
    let operations = all.filter { names?.contains($0.name) ?? isImplemented($0) }
    guard operations.contains(where: isImplemented) else {
      throw UsageError(
        "\(chosen.dropFirst().map(\.name).joined(separator: ", ")) implements none of: "
          + "\((names ?? all.map(\.name)).joined(separator: ", ")). `\(CommandName.current) list` shows who implements what."
      )
    }
    self.operations = operations
    contenders = chosen.filter { contender in operations.contains { contender.implementations[$0] != nil } }
    recording = try RecordingOptions(options, budgetNanoseconds: 60_000_000_000, generations: 6)
    format = try ReportFormat(options, .runtimes)
  }

  /// The names that `--contenders` asks for.
  private static func contenders(_ options: Options, known: [String]) throws -> [String] {
    guard let wanted = try options.list("--contenders") else { return known }
    for name in wanted where !known.contains(name) {
      throw UsageError.unknown("contender", name, among: known)
    }
    return wanted
  }

  /// Who takes part, by operation.
  var participants: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: operations.map { operation in
        (operation.name, contenders.filter { $0.implementations[operation] != nil }.map(\.name))
      })
  }
}
