import Testing

@testable import BenchCommand

@Suite struct CheckCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(
    arguments: [
      ([], "check needs something to check against: --against BUILD, or --baseline DIR, or --counters FILE."),
      (["--baseline", "x", "--against", "y"], "--against and --baseline are two checks: ask for one."),
      (["--inconclusive", "pas", "--against", "x"], "unknown inconclusive “pas”. Did you mean pass?"),
      (["--format", "texts", "--against", "x"], "unknown format “texts”. Did you mean text?"),
    ] as [([String], String)])
  func whatCannotBeFollowedIsSaid(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try CheckCommand.run(arguments, among: known) }
    #expect(error?.description == message)
  }

  @Test func everyOptionStandsInTheHelpOnce() {
    let names = CheckCommand.options.map(\.name)
    #expect(Set(names).count == names.count)
  }
}
