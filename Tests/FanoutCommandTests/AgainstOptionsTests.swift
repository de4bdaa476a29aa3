import Harness
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct AgainstOptionsTests {
  private func checked(_ arguments: [String]) throws -> AgainstOptions<Scenario> {
    try AgainstOptions(
      Options(arguments, known: CheckCommand.ofUploads.options),
      CheckSubjects(uploads: ContenderList([Named("a"), Named("b")], variants: [Named("a/x")])))
  }

  @Test func theUsualCheckIsOfCostAndFindsThreePerCent() throws {
    let options = try checked(["--against", "HEAD~1"])
    #expect(options.contenders == ["a", "b"])
    #expect(options.scenarios.map(\.name) == ["publish-instant-100", "publish-instant-1000"])
    #expect(options.layouts == 1)
    #expect(options.measure == .cost)
    #expect(options.margin == 0.03)
    #expect(try checked(["--against", "x", "--measure", "wall"]).margin == 0.05)
  }

  /// A check says what it does not look at, and how it would.
  @Test func whatIsNotLookedAtHasItsOption() throws {
    let wall = "time on the clock, with all processors (`--measure wall`)"
    let patterns = [
      "10 000 uploads (`--scenario publish-instant-10000`)",
      "other patterns (`--scenario race-instant-100`, and so on)",
    ]
    func small(_ margin: String) -> String { "changes below \(margin) % (`--margin 1%`)" }
    #expect(try checked(["--against", "x"]).notLookedAt == patterns + [wall, small("3.0")])
    #expect(
      try checked(["--against", "x", "--scenario", "zip-instant-3"]).notLookedAt == [wall, small("3.0")])
    #expect(try checked(["--against", "x", "--measure", "wall"]).notLookedAt == patterns + [small("5.0")])
    #expect(try checked(["--against", "x", "--margin", "1%"]).notLookedAt == patterns + [wall])
  }

  @Test(arguments: [("5%", 0.05), ("0.05", 0.05), ("0.1%", 0.001), ("100%", 1)])
  func aMarginIsAShareOrAPercentage(text: String, margin: Double) throws {
    #expect(
      abs(try checked(["--against", "x", "--margin", text]).margin - margin) < 1e-12)
  }

  @Test(arguments: ["", "-x", "--", "--margin"])
  func whatCanBeNoBuildIsSaidBeforeGitIsAsked(text: String) {
    let error = #expect(throws: UsageError.self) { try checked(["--against", text]) }
    #expect(
      error?.description
        == "--against needs the other build, and “\(text)” is none: give an executable, or a commit such as HEAD~1."
    )
  }

  @Test func aSlowDownIsPlantedEverywhereOrWhereItIsSaid() throws {
    func plant(_ arguments: String...) throws -> InjectedSlowDown? {
      try checked(["--against", "x"] + arguments).injected
    }
    #expect(try plant() == nil)
    #expect(try plant("--plant", "5%") == InjectedSlowDown(share: 0.05, contenders: nil, scenarios: nil))
    #expect(
      try plant("--plant", "5%", "--plant-in", "b")
        == InjectedSlowDown(share: 0.05, contenders: ["b"], scenarios: nil))
    #expect(
      try plant("--plant", "5%", "--plant-in", "a,publish-instant-100")
        == InjectedSlowDown(share: 0.05, contenders: ["a"], scenarios: ["publish-instant-100"]))
  }

  @Test(
    arguments: [
      (["--against", "x", "--plant-in", "a"], "--plant-in says where: say how much, with --plant."),
      (
        ["--against", "x", "--plant", "5%", "--plant-in", "zebra"],
        "unknown contender or scenario “zebra”. Known: a, b, publish-instant-100, publish-instant-1000."
      ),
      (["--against", "x", "--margin", "0"], "--margin “0”: give a share from 0.1% to 100%, such as 3%."),
      (["--against", "x", "--margin", "nan"], "--margin “nan”: give a share from 0.1% to 100%, such as 3%."),
      (
        ["--against", "x", "--margin", "300%"], "--margin “300%”: give a share from 0.1% to 100%, such as 3%."
      ),
      (["--against", "x", "--measure", "walls"], "unknown measure “walls”. Did you mean wall?"),
      (
        ["--against", "x", "--scenario", "publish-instant-101"],
        "unknown scenario “publish-instant-101”. Did you mean publish-instant-10?"
      ),
      (["--against", "x", "--contenders", "zebra"], "unknown contender “zebra”. Known: a, b, a/x."),
    ] as [([String], String)])
  func whatCannotBeFollowedIsSaid(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try checked(arguments) }
    #expect(error?.description == message)
  }
}
