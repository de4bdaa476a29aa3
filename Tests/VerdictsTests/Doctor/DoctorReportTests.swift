import Foundation
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct DoctorReportTests {
  private static func cost(_ seconds: Double?, least: Double? = 0.03) -> DoctorReadings.Mode {
    DoctorFixture.mode(.costOnOneProcessor, seconds, least: least)
  }

  private static func wall(_ seconds: Double?, least: Double? = 0.05) -> DoctorReadings.Mode {
    DoctorFixture.mode(.wallAtRealTime, seconds, least: least)
  }

  private typealias Said = (
    modes: [DoctorReadings.Mode], asksForWall: Bool, resolves: Bool, headline: String
  )

  private static let sentences: [Said] = [
    (
      [cost(7.2), wall(20)], false, true,
      "This machine can find +3 % of CPU time in 8 s. It can find +5 % of wall time in 20 s."
    ),
    (
      [cost(7.2), wall(nil, least: 0.08)], false, true,
      "This machine can find +3 % of CPU time in 8 s. It cannot find +5 % of wall time in 120 s: the least it can is +8 %. 1 note."
    ),
    (
      [cost(7.2), wall(nil, least: 0.08)], true, false,
      "This machine cannot find +5 % of wall time in 120 s: the least it can is +8 %. It can find +3 % of CPU time in 8 s. 1 problem."
    ),
    (
      [cost(130, least: 0.04), wall(20)], false, false,
      "This machine cannot find +3 % of CPU time in 120 s: the least it can is +4 %. It can find +5 % of wall time in 20 s. 1 problem."
    ),
    (
      [cost(nil, least: nil)], false, false,
      "This machine cannot find +3 % of CPU time in 120 s, nor anything up to +20 %. 1 problem."
    ),
    (
      [wall(20)], false, false,
      "What this machine can find of CPU time is not known. It can find +5 % of wall time in 20 s."
    ),
    ([], false, false, "What this machine can find of CPU time is not known."),
  ]

  @Test(arguments: sentences)
  func `the headline follows from the measurements`(
    modes: [DoctorReadings.Mode], asksForWall: Bool, resolves: Bool, headline: String
  ) {
    let report = DoctorReport(DoctorFixture.readings(modes, asksForWall: asksForWall))
    #expect(report.headline == headline)
    #expect(report.resolvesUsualMargin == resolves)
  }

  @Test func `too few pairs only ask for a longer budget`() throws {
    let few = [Self.cost(nil), Self.wall(nil), DoctorFixture.mode(.wallAsIs, nil)].map {
      DoctorReadings.Mode($0.mode, [DoctorFixture.spread(deviation: 0.01, pairs: 3)], $0.terms, nil)
    }
    let report = DoctorReport(DoctorFixture.readings(few))
    #expect(report.headline == "What this machine can find of CPU time is not known. 1 problem, 1 note.")
    #expect(!report.resolvesUsualMargin)
    let finding = try #require(report.findings.first)
    #expect(finding.seen?.hasPrefix("what it finds is not known: 3 pairs") == true)
    // Half as many again as eight, at 16.4 s for three.
    #expect(finding.advice == "give the doctor longer (`--budget 66s`)")
    #expect(!report.document.text().contains("The smallest slow-down"))
    #expect(!report.document.markdown.contains("The smallest slow-down"))
  }

  @Test func `the worst findings come first`() {
    let report = DoctorReport(
      DoctorFixture.readings([Self.cost(nil)]) {
        $0.swapUsedBytes = 1
        $0.stealShare = 0.2
      })
    let order = DoctorFinding.Severity.allCases
    let ranks = report.findings.map { order.firstIndex(of: $0.severity)! }
    #expect(ranks == ranks.sorted())
    #expect(report.findings.first?.severity == .problem)
  }

  static let everything = DoctorFixture.readings([cost(130, least: 0.04), wall(nil, least: nil)]) {
    ($0.stealShare, $0.frequencyGovernors, $0.boost) = (0.03, ["powersave"], true)
    ($0.isRealTimePermitted, $0.swapUsedBytes, $0.clockSource) = (false, 0x1p30, "hpet")
    $0.clockReadingNanoseconds = 1_400
    $0.commands = ["git": false, "python3": false]
  }

  @Test func `the text shows the figures of every mode`() {
    let text = DoctorReport(Self.everything).document.text()
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.contains("mode in 10 s in 60 s in 300 s the usual"))
    #expect(lines.contains("cost on one processor none +4 % +4 % +3 % in 130 s"))
    #expect(lines.contains("wall at real-time priority none none none +5 % never"))
    #expect(lines.contains("cost on one processor a 20 1.0 % 100 ms"))
    #expect(text.contains("Not visible here: other processes, pressure, load, "))
  }

  @Test func `a debug build is the first warning`() {
    let report = DoctorReport(DoctorFixture.readings(isReleaseBuild: false))
    #expect(report.document.text().hasPrefix("WARNING: debug build"))
    #expect(report.document.markdown.contains("> **Warning:** debug build"))
    #expect(report.findings.first?.subject == "build")
  }

  @Test func `JSON has the figures and leaves out unknown ones`() throws {
    let text = try DoctorReport(Self.everything).json()
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["resolves_usual_margin"] as? Bool == false)
    let machine = try #require(document["machine"] as? [String: Any])
    #expect(machine["steal_share"] as? Double == 0.03)
    #expect(machine["clock_reading_ns"] as? Double == 1_400)
    #expect(machine["pressure_share"] == nil)
    let modes = try #require(document["modes"] as? [[String: Any]])
    #expect(modes.map { $0["usual_seconds"] as? Double } == [130, nil])
    let spreads = try #require(modes[0]["spreads"] as? [[String: Any]])
    #expect(spreads.map { $0["pairs"] as? Int } == [20, 20])
    let findings = try #require(document["findings"] as? [[String: Any]])
    #expect(findings.first?["severity"] as? String == "problem")
    #expect(findings.first?["advice"] is String)
  }
}
