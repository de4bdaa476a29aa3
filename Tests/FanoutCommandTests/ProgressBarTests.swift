@testable import Harness
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ProgressBarTests {
  @Test(arguments: [
    (0.0, 0.0, "░░░░░░░░░░░░░░░░░░░░ 0 % · estimating · 7 samples · publish-instant-1"),
    (0.25, 10, "█████░░░░░░░░░░░░░░░ 25 % · 30 s left · 7 samples · publish-instant-1"),
    (1, 60, "███████████████████░ 99 % · finishing · 7 samples · publish-instant-1"),
  ])
  func theLineTellsHowFarAndHowLong(fraction: Double, elapsed: Double, expected: String) {
    let progress = RunProgress(
      scenario: "publish-instant-1", samples: 7, fraction: fraction)
    #expect(ProgressBar.line(progress, elapsedSeconds: elapsed, showsBar: true) == expected)
  }

  @Test func whereNoTerminalIsThereIsNothingDrawn() {
    let progress = RunProgress(
      scenario: "publish-instant-1", samples: 7, fraction: 0.25)
    #expect(
      ProgressBar.line(progress, elapsedSeconds: 10, showsBar: false)
        == "\(CommandName.current): 25 % · 30 s left · 7 samples · publish-instant-1")
  }

  @Test func theLineNamesWhatIsDoneBesidesMeasuring() {
    let progress = RunProgress(scenario: "zip-instant-3", samples: 7, phase: "warm-up", fraction: 0.25)
    #expect(
      ProgressBar.line(progress, elapsedSeconds: 10, showsBar: true).hasSuffix(
        "· 7 samples · warm-up of zip-instant-3"))
  }

  @Test func theLineFitsTheTerminal() {
    let progress = RunProgress(
      scenario: String(repeating: "x", count: 100), samples: 7,
      fraction: 0.5)
    #expect(ProgressBar.line(progress, elapsedSeconds: 1, showsBar: true).count == 79)
  }

  @Test func whatANameSteersIsSpelledOut() {
    let progress = RunProgress(
      scenario: "a\u{1B}[2J\n", samples: 7, fraction: 0.5)
    #expect(
      ProgressBar.line(progress, elapsedSeconds: 1, showsBar: true).hasSuffix(#"· a\u{1B}[2J\n"#))
  }
}
