import TestSupport
import Testing

@testable import BenchCommand

@Suite(.ownThread) struct DoctorOptionsTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c")], variants: [Named("c/x")])

  @Test(
    arguments: [
      ([], ["a", "c"]), (["--contenders", "b"], ["b"]), (["--contenders", "a,b,c/x"], ["a", "b", "c/x"]),
    ] as [([String], [String])])
  func theEndsOfTheListAreExaminedOrWhoIsNamed(arguments: [String], names: [String]) throws {
    #expect(try DoctorOptions(arguments, known: known).contenders.map(\.name) == names)
  }

  @Test func whoDoesNotWriteWhatACheckMeasuresIsNotExamined() throws {
    let known = ContenderList([Named("a", [.zip]), Named("b"), Named("c"), Named("d"), Named("e", [.race])])
    #expect(try DoctorOptions([], known: known).contenders.map(\.name) == ["b", "d"])
    #expect(
      try DoctorOptions(["--contenders", "a,c"], known: known).contenders.map(\.name) == ["c"])
    let error = #expect(throws: UsageError.self) {
      try DoctorOptions(["--contenders", "a,e"], known: known)
    }
    #expect(
      error?.description == "none of a, e writes what a check measures: publish-instant-100.")
  }

  @Test func aListOfOneIsExaminedWhole() throws {
    #expect(try DoctorOptions([], known: ContenderList([Named("a")])).contenders.map(\.name) == ["a"])
  }

  @Test func itTakesEighteenSecondsForCost() throws {
    let options = try DoctorOptions([], known: known)
    #expect(options.budgetNanoseconds == 18_000_000_000)
    #expect(options.measure == .cost)
    #expect(options.format.name == "text")
  }

  @Test(
    arguments: [
      (["--format", "github"], "unknown format “github”. Known: text, markdown, json."),
      (["--measure", "walls"], "unknown measure “walls”. Did you mean wall?"),
      (["--contenders", "zebra"], "unknown contender “zebra”. Known: a, b, c, c/x."),
      (["--margin", "3%"], "unknown option “--margin”."),
    ] as [([String], String)])
  func whatCannotBeFollowedIsSaid(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try DoctorOptions(arguments, known: known) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }
}
