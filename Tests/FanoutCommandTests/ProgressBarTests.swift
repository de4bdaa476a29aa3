@testable import Harness
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ProgressBarTests {
  private func line(
    _ scenario: String = "zip", phase: String? = nil, at fraction: Double = 0.25, after seconds: Double = 10,
    showsBar: Bool = true
  ) -> String {
    let progress = RunProgress(scenario: scenario, samples: 7, phase: phase, fraction: fraction)
    return ProgressBar.line(progress, elapsedSeconds: seconds, showsBar: showsBar)
  }

  @Test func `the line says how far the run is and how long it takes`() {
    #expect(line(at: 0, after: 0) == "░░░░░░░░░░░░░░░░░░░░ 0 % · estimating · 7 samples · zip")
    #expect(line() == "█████░░░░░░░░░░░░░░░ 25 % · 30 s left · 7 samples · zip")
    #expect(line(at: 1, after: 60) == "███████████████████░ 99 % · finishing · 7 samples · zip")
    #expect(line(phase: "warm-up").hasSuffix("· 7 samples · warm-up of zip"))
    #expect(line(showsBar: false) == "\(CommandName.current): 25 % · 30 s left · 7 samples · zip")
  }

  @Test func `the line fits the terminal and escapes control characters`() {
    #expect(line(String(repeating: "x", count: 100)).count == 79)
    #expect(line("a\u{1B}[2J\n").hasSuffix(#"· a\u{1B}[2J\n"#))
  }
}
