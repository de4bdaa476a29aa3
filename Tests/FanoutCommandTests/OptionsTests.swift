import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct OptionsTests {
  private let known = [
    Option("--limit", "K", ""), Option("--quiet", nil, ""), Option("--budget", "TIME", ""),
    Option("--output", "DIR", ""), Option("--record", "FILE", "", usually: "usual"),
  ]

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

  private static let noTime =
    "give a time above zero, such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h."

  @Test(
    arguments: Refusal.table(
      """
      --limt 3 => unknown option “--limt”. Did you mean --limit?
      --zebra => unknown option “--zebra”. Known: --limit, --quiet, --budget, --output, --record.
      limit => unexpected “limit”: options begin with --.
      --limit => --limit needs a value: --limit K.
      --quiet=yes => --quiet takes no value.
      --limit 1 --limit 2 => --limit is given twice.
      --output= => --output is empty: give a path.
      --record '' => --record is empty: give a path.
      """)
      + ["0", "11", "-1", "three", "", "1.5", "99999999999999999999"].map {
        Refusal(arguments: ["--limit", $0], message: "--limit “\($0)”: give a whole number from 1 to 10.")
      }
      + ["0", "-1", "1e300", "inf", "nan", "", "-1s", "0.1ns", "0.0009us", "s", "1d", "1e300s"].map {
        Refusal(arguments: ["--budget", $0], message: "--budget “\($0)”: \(noTime)")
      })
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect((any Error).self) {
      let options = try Options($0, known: known)
      _ = try options.integer("--limit", in: 1...10)
      _ = try options.duration("--budget")
    }
  }

  private static let places = "folders of recorded runs, such as results/latest."

  @Test(
    arguments: [
      ([], ["RUN"], "RUN is missing: give the folder of a recorded run, such as results/latest."),
      (["a"], ["BASE", "CANDIDATE"], "CANDIDATE is missing: give BASE and CANDIDATE, \(places)"),
      ([], ["bash|zsh"], "bash|zsh is missing: give bash|zsh."),
      (["a", "b", ""], ["RUN", "RUN…"], "RUN… is empty: give a path."),
    ] as [([String], [String], String)])
  func `a missing or empty operand is named`(arguments: [String], operands: [String], message: String) {
    let error = #expect(throws: (any Error).self) { try Options(arguments, known: [], operands: operands) }
    #expect(error.map { "\($0)" } == message)
  }

  @Test(arguments: [
    ("500us", 500_000), ("20ms", 20_000_000), ("1.5s", 1_500_000_000), ("2m", 120_000_000_000),
    ("30", 30_000_000_000), ("0.5", 500_000_000),
  ])
  func `a duration has a unit, and a number alone is seconds`(text: String, nanoseconds: UInt64) throws {
    #expect(try Options(["--budget", text], known: known).duration("--budget") == nanoseconds)
  }

  @Test(arguments: [
    ("512", 512 as Int?), ("64KiB", 65_536), ("3MiB", 3_145_728), ("0", 0), ("-1", nil), ("1TB", nil),
    ("9999GiB", nil), ("", nil),
  ])
  func `a size has a binary unit`(text: String, bytes: Int?) {
    #expect((try? Options(["--limit", text], known: known).bytes("--limit")) == bytes)
  }
}
