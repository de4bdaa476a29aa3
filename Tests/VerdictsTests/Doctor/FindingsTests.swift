import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct FindingsTests {
  struct Shown: Sendable, CustomTestStringConvertible {
    let subject: String
    let severity: DoctorFinding.Severity
    let seen: String
    let adjust: @Sendable (inout MachineRecord) -> Void

    init(
      _ subject: String, _ severity: DoctorFinding.Severity, _ seen: String,
      _ adjust: @escaping @Sendable (inout MachineRecord) -> Void
    ) {
      self.subject = subject
      self.severity = severity
      self.seen = seen
      self.adjust = adjust
    }

    var testDescription: String { "\(subject): \(seen)" }
  }

  private static let disturbance: [Shown] = [
    Shown("steal", .ok, "0.1 % of the processors' time") { $0.stealShare = 0.001 },
    Shown("steal", .note, "3.0 % of the processors' time") { $0.stealShare = 0.03 },
    Shown("steal", .problem, "6.0 % of the processors' time") { $0.stealShare = 0.06 },
    Shown("other processes", .ok, "took 4.0 % of the processors' time") { $0.othersShare = 0.04 },
    Shown("other processes", .note, "took 40.0 % of the processors' time") { $0.othersShare = 0.4 },
    Shown("other processes", .problem, "took 90.0 % of the processors' time") { $0.othersShare = 0.9 },
    Shown("pressure", .note, "a thread waited for a processor for 60.0 % of the time") {
      $0.pressureShare = 0.6
    },
  ]

  private static let processors: [Shown] = [
    Shown("frequency governor", .ok, "performance") { $0.frequencyGovernors = ["performance"] },
    Shown("frequency governor", .note, "powersave") { $0.frequencyGovernors = ["powersave"] },
    Shown("turbo", .note, "on") { $0.boost = true }, Shown("turbo", .ok, "off") { $0.boost = false },
    Shown("virtual machine", .note, "yes") { $0.isVirtualMachine = true },
    Shown("multithreading", .note, "on: two processors share a core") { $0.multithreading = true },
    Shown("processor quota", .ok, "none") { $0.processorQuota = .unlimited },
    Shown("processor quota", .note, "1.50 processors' time") { $0.processorQuota = .at(1.5) },
    Shown("processor quota", .ok, "4.00 processors' time") { $0.processorQuota = .at(4) },
    Shown("processor quota", .problem, "4.00 processors' time, throttled for 2.0 % of the time") {
      ($0.processorQuota, $0.throttledShare) = (.at(4), 0.02)
    },
    Shown(
      "hand-over", .note,
      "from thread to thread 40.0 µs in the median, 60.0 µs at p90; with processors kept awake 10.0 µs in the median, 20.0 µs at p90"
    ) {
      ($0.handOver, $0.awakeHandOver) = (
        HandOverRecord(medianNanoseconds: 40_000, p90Nanoseconds: 60_000),
        HandOverRecord(medianNanoseconds: 10_000, p90Nanoseconds: 20_000)
      )
    },
    Shown(
      "hand-over", .ok,
      "from thread to thread 11.0 µs in the median, 12.0 µs at p90; with processors kept awake 10.0 µs in the median, 20.0 µs at p90"
    ) {
      ($0.handOver, $0.awakeHandOver) = (
        HandOverRecord(medianNanoseconds: 11_000, p90Nanoseconds: 12_000),
        HandOverRecord(medianNanoseconds: 10_000, p90Nanoseconds: 20_000)
      )
    }, Shown("processors", .note, "1 may be used") { $0.processorsAllowed = 1 },
  ]

  private static let memory: [Shown] = [
    Shown("memory limit", .ok, "none") { $0.memoryLimitBytes = .unlimited },
    Shown("memory limit", .note, "512 MiB") { $0.memoryLimitBytes = .at(0x1p29) },
    Shown("memory limit", .ok, "4.00 GiB") { $0.memoryLimitBytes = .at(0x1p32) },
    Shown("memory", .note, "16.0 GiB, 512 MiB free") {
      ($0.memoryBytes, $0.memoryAvailableBytes) = (0x1p34, 0x1p29)
    }, Shown("swap", .ok, "none used") { $0.swapUsedBytes = 0 },
    Shown("swap", .note, "1.00 MiB used") { $0.swapUsedBytes = 0x1p20 },
    Shown("transparent huge pages", .note, "always") { $0.transparentHugePages = "always" },
  ]

  private static let toolsAndClock: [Shown] = [
    Shown("real-time priority", .note, "refused") { $0.isRealTimePermitted = false },
    Shown("real-time priority", .note, "chrt missing") {
      ($0.isRealTimePermitted, $0.commands) = (false, ["chrt": false])
    }, Shown("git", .note, "missing") { $0.commands = ["git": false] },
    Shown("clock", .ok, "smallest seen 20.0 ns, a reading takes 25.0 ns") {
      ($0.clockReadingNanoseconds, $0.clockStepNanoseconds) = (25, 20)
    },
    Shown("clock", .note, "hpet, a reading takes 1.40 µs") {
      ($0.clockSource, $0.clockReadingNanoseconds) = ("hpet", 1_400)
    },
    Shown("clock", .problem, "smallest seen 4.00 ms, a reading takes 25.0 ns") {
      ($0.clockReadingNanoseconds, $0.clockStepNanoseconds) = (25, 4e6)
    },
  ]

  private func finding(_ subject: String, in readings: DoctorReadings) throws -> DoctorFinding {
    try #require(DoctorReport(readings).findings.first { $0.subject == subject }, "\(subject)")
  }

  @Test(arguments: disturbance + processors + memory + toolsAndClock)
  func `each reading of the machine is judged`(shown: Shown) throws {
    let finding = try finding(shown.subject, in: DoctorFixture.readings(adjust: shown.adjust))
    #expect(finding.severity == shown.severity)
    #expect(finding.seen == shown.seen)
  }

  @Test func `every problem ends with advice`() {
    let findings = DoctorReport(
      DoctorFixture.readings(
        [
          DoctorFixture.outlook(deviation: 1),
          DoctorFixture.outlook(isCost: false, deviation: 0.1, mean: 0.3),
        ],
        isReleaseBuild: false, failures: ["a in b: died"]
      ) {
        ($0.stealShare, $0.frequencyGovernors, $0.commands) = (0.2, ["powersave"], ["git": false])
        ($0.isRealTimePermitted, $0.isOneProcessorPermitted) = (false, false)
      }
    ).findings
    #expect(findings.count { $0.severity != .ok } >= 8)
    for finding in findings {
      #expect((finding.severity == .ok) == (finding.advice == nil), "\(finding)")
      #expect(finding.severity == .ok || finding.seen != nil, "\(finding)")
    }
  }

  @Test func `a machine that shows nothing is not guessed at`() {
    let findings = DoctorReport(DoctorFixture.readings()).findings
    let hidden = Set(findings.filter { $0.seen == nil }.map(\.subject))
    #expect(
      hidden == [
        "clock", "processors", "processor quota", "multithreading", "frequency governor", "turbo",
        "virtual machine", "hand-over", "memory", "memory limit", "swap", "transparent huge pages",
        "allocations", "steal", "other processes", "pressure", "one processor", "real-time priority",
      ])
    #expect(findings.allSatisfy { $0.severity == .ok })
  }

  @Test(arguments: [(0.0, false), (0.05, true), (-0.05, true)])
  func `a build that differs from itself is a problem`(mean: Double, isProblem: Bool) {
    let readings = DoctorFixture.readings([DoctorFixture.outlook(mean: mean)])
    let said = DoctorReport(readings).findings.filter {
      $0.seen?.hasPrefix("against itself a is called") == true
    }
    #expect(said.map(\.severity) == (isProblem ? [.problem] : []))
  }

  private static func outlook(
    isCost: Bool = true, _ deviation: Double = 0.01, milliseconds: Double = 100, pairs: Int = 20
  ) -> CheckOutlook {
    DoctorFixture.outlook(isCost: isCost, deviation: deviation, milliseconds: milliseconds, pairs: pairs)
  }

  private typealias Said = (outlooks: [CheckOutlook], asksForWall: Bool, resolves: Bool, headline: String)

  private static let sentences: [Said] = [
    (
      [outlook(), outlook(isCost: false, 0.02)], false, true,
      "This machine can find +3 % of CPU time in 11 s. It can find +5 % of wall time in 11 s."
    ),
    (
      [outlook(), outlook(isCost: false, 0.06)], true, false,
      "This machine cannot find +5 % of wall time in 120 s: the least it can is +6 %. It can find +3 % of CPU time in 11 s. 1 problem."
    ),
    (
      [outlook(0.02, milliseconds: 1_000), outlook(isCost: false, pairs: 7)], false, false,
      "This machine cannot find +3 % of CPU time in 120 s: the least it can is +5 %. 1 problem, 1 note."
    ),
    (
      [outlook(2)], false, false,
      "This machine cannot find +3 % of CPU time in 120 s, nor anything up to +50 %. 1 problem."
    ),
    (
      [outlook(isCost: false)], false, false,
      "Which changes of CPU time this machine can find is unknown. It can find +5 % of wall time in 10 s."
    ), ([], false, false, "Which changes of CPU time this machine can find is unknown."),
  ]

  @Test(arguments: sentences)
  func `the headline follows from the measurements`(
    outlooks: [CheckOutlook], asksForWall: Bool, resolves: Bool, headline: String
  ) {
    let report = DoctorReport(DoctorFixture.readings(outlooks, asksForWall: asksForWall))
    #expect(report.headline == headline)
    #expect(report.resolvesUsualMargin == resolves)
  }

  static let everything = DoctorFixture.readings([outlook(0.05), outlook(isCost: false, 1)]) {
    ($0.stealShare, $0.frequencyGovernors, $0.boost) = (0.03, ["powersave"], true)
    ($0.isRealTimePermitted, $0.swapUsedBytes, $0.clockSource) = (false, 0x1p30, "hpet")
    $0.clockReadingNanoseconds = 1_400
    $0.commands = ["git": false]
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
    #expect(modes.map { $0["usual_seconds"] as? Double } == [nil, nil])
    #expect(modes.map { $0["usual_margin"] as? Double } == [0.03, 0.05])
    let spreads = try #require(modes[0]["spreads"] as? [[String: Any]])
    #expect(spreads.map { $0["pairs"] as? Int } == [20, 20])
    let findings = try #require(document["findings"] as? [[String: Any]])
    #expect(findings.first?["severity"] as? String == "problem")
    #expect(findings.first?["advice"] is String)
  }
}
