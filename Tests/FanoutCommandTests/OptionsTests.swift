import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct OptionsTests {
  private let known = [
    Option("--limit", "K", ""), Option("--quiet", nil, ""), Option("--budget", "TIME", ""),
  ]

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch { return "\(error)" }
  }

  @Test func `a value follows its option or an equals sign`() throws {
    let options = try Options(["--limit", "3", "--quiet", "--budget=5s"], known: known)
    #expect(try options.integer("--limit", in: 1...10) == 3)
    #expect(options.has("--quiet"))
    #expect(try options.duration("--budget") == 5_000_000_000)
  }

  @Test func `an option with a usual value may omit it`() throws {
    let known = [Option("--file", "FILE", "", usually: "usual"), Option("--quiet", nil, "")]
    for (arguments, value) in [
      (["--file"], "usual"), (["--file", "--quiet"], "usual"), (["--file", "other"], "other"),
      (["--file=other"], "other"),
    ] {
      #expect(try Options(arguments, known: known).text("--file") == value)
    }
  }

  @Test(
    arguments: Refusal.table(
      """
      --limt 3 => unknown option “--limt”. Did you mean --limit?
      --zebra => unknown option “--zebra”. Known: --limit, --quiet, --budget.
      limit => unexpected “limit”: options begin with --.
      --limit => --limit needs a value: --limit K.
      --quiet=yes => --quiet takes no value.
      --limit 1 --limit 2 => --limit is given twice.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect((any Error).self) { _ = try Options($0, known: known) }
  }

  @Test func `a missing operand is named with an example`() {
    #expect(
      message { _ = try Options([], known: [], operands: ["RUN"]) }
        == "RUN is missing: give the folder of a recorded run, such as results/latest.")
    #expect(
      message { _ = try Options(["a"], known: [], operands: ["BASE", "CANDIDATE"]) }
        == "CANDIDATE is missing: give BASE and CANDIDATE, folders of recorded runs, such as results/latest.")
    #expect(
      message { _ = try Options([], known: [], operands: ["bash|zsh"]) }
        == "bash|zsh is missing: give bash|zsh.")
  }

  @Test func `an empty path is refused`() {
    let known = [Option("--output", "DIR", ""), Option("--record", "FILE", "", usually: "usual")]
    for name in ["--output", "--record"] {
      for arguments in [["\(name)="], [name, ""]] {
        #expect(
          message { _ = try Options(arguments, known: known) } == "\(name) is empty: give a path.")
      }
    }
    #expect(
      message { _ = try Options(["a", "b", ""], known: [], operands: ["RUN", "RUN…"]) }
        == "RUN… is empty: give a path.")
    #expect(message { _ = try Options([""], known: [], operands: ["bash|zsh"]) } == "no error")
  }

  @Test(arguments: ["0", "11", "-1", "three", "", "1.5", "99999999999999999999"])
  func `a number out of range is refused with the range`(text: String) {
    let said = message { _ = try Options(["--limit", text], known: known).integer("--limit", in: 1...10) }
    #expect(said == "--limit “\(text)”: give a whole number from 1 to 10.")
  }

  @Test(arguments: [
    ("500us", 500_000), ("20ms", 20_000_000), ("1.5s", 1_500_000_000), ("2m", 120_000_000_000),
    ("30", 30_000_000_000), ("0.5", 500_000_000),
  ])
  func `a duration has a unit, and a number alone is seconds`(text: String, nanoseconds: UInt64) throws {
    #expect(try Options(["--budget", text], known: known).duration("--budget") == nanoseconds)
  }

  @Test(arguments: [
    "0", "-1", "1e300", "inf", "nan", "", "-1s", "0s", "0.1ns", "0.0009us", "s", "1d", "nans", "infs",
    "1e300s",
  ])
  func `a duration that is zero, negative, too long or no number is refused`(text: String) {
    let said = message { _ = try Options(["--budget", text], known: known).duration("--budget") }
    #expect(
      said
        == "--budget “\(text)”: give a time above zero, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h."
    )
  }

  @Test(arguments: [
    ("512", 512 as Int?), ("64KiB", 65_536), ("3MiB", 3_145_728), ("0", 0), ("-1", nil), ("1TB", nil),
    ("9999GiB", nil), ("", nil),
  ])
  func `a size has a binary unit`(text: String, bytes: Int?) {
    #expect((try? Options(["--limit", text], known: known).bytes("--limit")) == bytes)
  }
}
