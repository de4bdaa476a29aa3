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

  @Test func `a check measures CPU time with a margin of 3 % by default`() throws {
    let options = try checked(["--against", "HEAD~1"])
    #expect(options.contenders == ["a", "b"])
    #expect(options.scenarios.map(\.name) == ["publish-instant-100", "publish-instant-1000"])
    #expect(options.layouts == 1)
    #expect(options.measure == .cost)
    #expect(options.margin == 0.03)
    #expect(try checked(["--against", "x", "--measure", "wall"]).margin == 0.05)
  }

  /// A check says what it does not look at, and how it would.
  @Test func `a check names what it leaves out, and the option that adds it`() throws {
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
  func `a margin is a share or a percentage`(text: String, margin: Double) throws {
    #expect(
      abs(try checked(["--against", "x", "--margin", text]).margin - margin) < 1e-12)
  }

  @Test(arguments: ["", "-x", "--", "--margin"])
  func `text that cannot name a build is refused`(text: String) {
    let error = #expect(throws: UsageError.self) { try checked(["--against", text]) }
    #expect(
      error?.description
        == "--against needs the other build, and “\(text)” is none: give an executable, or a commit such as HEAD~1."
    )
  }

  @Test func `a slow-down is injected everywhere or where the options say`() throws {
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
    arguments: Refusal.table(
      """
      --plant-in a => --plant-in says where: say how much, with --plant.
      --plant 5% --plant-in zebra => unknown contender or scenario “zebra”. Known: a, b, publish-instant-100, publish-instant-1000.
      --margin 0 => --margin “0”: give a share from 0.1% to 100%, such as 3%.
      --margin nan => --margin “nan”: give a share from 0.1% to 100%, such as 3%.
      --margin 300% => --margin “300%”: give a share from 0.1% to 100%, such as 3%.
      --measure walls => unknown measure “walls”. Did you mean wall?
      --scenario publish-instant-101 => unknown scenario “publish-instant-101”. Did you mean publish-instant-10?
      --contenders zebra => unknown contender “zebra”. Known: a, b, a/x.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try checked(["--against", "x"] + $0) }
  }
}
