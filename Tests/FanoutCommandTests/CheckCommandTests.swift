import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CheckCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(
    arguments: [
      (
        [],
        "check needs something to check against: --against BUILD, or --baseline DIR, or --counters [FILE]."
      ),
      (["--baseline", "x", "--against", "y"], "--against and --baseline are two checks: ask for one."),
      (["--inconclusive", "pas", "--against", "x"], "unknown inconclusive “pas”. Did you mean pass?"),
      (["--format", "texts", "--against", "x"], "unknown format “texts”. Did you mean text?"),
    ] as [([String], String)])
  func whatCannotBeFollowedIsSaid(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try CheckCommand.ofUploads.run(arguments, among: known) }
    #expect(error?.description == message)
  }

  @Test func theHelpHasAGroupForEachQuestionWithAllThatItUnderstands() throws {
    let help = Help.text(.check)
    let titles = [
      "against another build:\n  --against BUILD ", "against a recorded run:\n  --baseline DIR ",
      "against committed counts:\n  --counters [FILE] ", "each of them:\n  --inconclusive fail|pass ",
    ]
    var rest = help[...]
    for title in titles {
      let place = try #require(rest.range(of: title), "\(title)")
      rest = rest[place.upperBound...]
    }
    // Both others have one of their own, which says something else.
    #expect(help.components(separatedBy: "  --margin SHARE ").count == 3)
    #expect(
      Set(CheckCommand.ofUploads.optionGroups.flatMap(\.options).map(\.name))
        == Set(CheckCommand.ofUploads.options.map(\.name)))
  }

  @Test func everyOptionStandsInTheHelpOnce() {
    let names = CheckCommand.ofUploads.options.map(\.name)
    #expect(Set(names).count == names.count)
  }
}
