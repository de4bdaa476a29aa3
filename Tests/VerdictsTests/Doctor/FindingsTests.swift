import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct FindingsTests {
  /// What a machine shows, and what must be said of it.
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
    Shown("pressure", .note, "for 60.0 % of the time a thread waited for a processor, ours included") {
      $0.pressureShare = 0.6
    },
    Shown("load", .ok, "average 0.50 in the minute before, 1 other thread runnable at the start") {
      ($0.loadAverage, $0.runnableThreads, $0.processorsAllowed) = (0.5, 1, 2)
    },
    Shown("load", .note, "average 3.00 in the minute before") { $0.loadAverage = 3 },
  ]

  private static let processors: [Shown] = [
    Shown("frequency governor", .ok, "performance") { $0.frequencyGovernors = ["performance"] },
    Shown("frequency governor", .note, "powersave") { $0.frequencyGovernors = ["powersave"] },
    Shown("turbo", .note, "on") { $0.boost = true },
    Shown("turbo", .ok, "off") { $0.boost = false },
    Shown("virtual machine", .note, "yes") { $0.isVirtualMachine = true },
    Shown("multithreading", .note, "on: two processors share a core") { $0.multithreading = true },
    Shown("processor quota", .ok, "none") { $0.processorQuota = .unlimited },
    Shown("processor quota", .note, "1.50 processors' time") { $0.processorQuota = .at(1.5) },
    Shown("processor quota", .ok, "4.00 processors' time") { $0.processorQuota = .at(4) },
    Shown("processor quota", .problem, "4.00 processors' time, held back for 2.0 % of the time") {
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
    },
    Shown("processors", .note, "1 may be used") { $0.processorsAllowed = 1 },
  ]

  private static let memory: [Shown] = [
    Shown("memory limit", .ok, "none") { $0.memoryLimitBytes = .unlimited },
    Shown("memory limit", .note, "512 MiB") { $0.memoryLimitBytes = .at(0x1p29) },
    Shown("memory limit", .ok, "4.00 GiB") { $0.memoryLimitBytes = .at(0x1p32) },
    Shown("memory", .note, "16.0 GiB, 512 MiB free") {
      ($0.memoryBytes, $0.memoryAvailableBytes) = (0x1p34, 0x1p29)
    },
    Shown("swap", .ok, "none used") { $0.swapUsedBytes = 0 },
    Shown("swap", .note, "1.00 MiB used") { $0.swapUsedBytes = 0x1p20 },
    Shown("transparent huge pages", .ok, "madvise") { $0.transparentHugePages = "madvise" },
    Shown("transparent huge pages", .note, "always") { $0.transparentHugePages = "always" },
  ]

  private static let toolsAndClock: [Shown] = [
    Shown("real-time priority", .ok, "permitted") { $0.isRealTimePermitted = true },
    Shown("real-time priority", .note, "refused") { $0.isRealTimePermitted = false },
    Shown("real-time priority", .note, "chrt missing") {
      ($0.isRealTimePermitted, $0.commands) = (false, ["chrt": false])
    },
    Shown("git", .note, "missing") { $0.commands = ["git": false] },
    Shown("git", .ok, "there") { $0.commands = ["git": true] },
    Shown("charts", .note, "python3 is missing") { $0.commands = ["python3": false] },
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
    var everythingWrong = MachineRecord()
    everythingWrong.stealShare = 0.2
    everythingWrong.frequencyGovernors = ["powersave"]
    everythingWrong.isRealTimePermitted = false
    everythingWrong.isOneProcessorPermitted = false
    everythingWrong.commands = ["git": false, "python3": false]
    let findings = DoctorReport(
      DoctorFixture.readings(
        [DoctorFixture.mode(.costAsIs, nil, least: nil), DoctorFixture.mode(.wallAsIs, nil, mean: 0.3)],
        isReleaseBuild: false, failures: ["a in b: died"]
      ) { $0 = everythingWrong }
    ).findings
    #expect(findings.count { $0.severity != .ok } >= 10)
    for finding in findings {
      #expect((finding.severity == .ok) == (finding.advice == nil), "\(finding)")
      #expect(finding.severity == .ok || finding.seen != nil, "\(finding)")
    }
  }

  @Test func `each condition that affects a run is one line`() {
    var machine = MachineRecord()
    #expect(DoctorReadings.conditions(of: machine).isEmpty)
    (machine.processorsAllowed, machine.processorQuota, machine.othersShare) = (4, .at(4), 0.04)
    machine.swapUsedBytes = 0x1p20
    #expect(DoctorReadings.conditions(of: machine).isEmpty)
    (machine.processorsAllowed, machine.processorQuota, machine.othersShare) = (1, .at(0.5), 0.9)
    let lines = DoctorReadings.conditions(of: machine)
    #expect(
      lines.map { String($0.prefix { $0 != ";" }) } == [
        "processors: 1 may be used", "processor quota: 0.50 processors' time",
        "other processes: took 90.0 % of the processors' time",
      ])
    #expect(lines.allSatisfy { !$0.contains("\n") })
  }

  @Test func `a machine that shows nothing is not guessed at`() {
    let findings = DoctorReport(DoctorFixture.readings()).findings
    let hidden = Set(findings.filter { $0.seen == nil }.map(\.subject))
    #expect(
      hidden == [
        "clock", "processors", "processor quota", "multithreading", "frequency governor", "turbo",
        "virtual machine", "hand-over", "memory", "memory limit", "swap", "transparent huge pages",
        "address randomisation", "instruction counters", "light guard pages", "steal", "other processes",
        "pressure", "load",
        "one processor", "real-time priority",
      ])
    #expect(findings.allSatisfy { $0.severity == .ok })
  }

  @Test(arguments: [(50.0, DoctorFinding.Severity.ok), (200, .note)])
  func `the harness's overhead is compared with the shortest post`(
    overhead: Double, severity: DoctorFinding.Severity
  ) throws {
    var readings = DoctorFixture.readings()
    readings.harnessOverheadNanoseconds = overhead
    #expect(try finding("harness", in: readings).severity == severity)
  }

  @Test(arguments: [(0.0, false), (0.05, true), (-0.05, true)])
  func `a build that differs from itself is a problem`(mean: Double, isProblem: Bool) {
    let readings = DoctorFixture.readings([DoctorFixture.mode(.costOnOneProcessor, 8, mean: mean)])
    let said = DoctorReport(readings).findings.filter {
      $0.seen?.hasPrefix("against itself a is called") == true
    }
    #expect(said.map(\.severity) == (isProblem ? [.problem] : []))
  }

  private typealias Reach = (
    mode: DoctorMode, seconds: Double?, least: Double?, severity: DoctorFinding.Severity, advice: String?
  )

  private static let outOfReach: [Reach] = [
    (
      .costOnOneProcessor, 130, 0.05, .problem,
      "give it longer (`--budget 130s`), or ask for less (`--margin 5%`)"
    ),
    (.costOnOneProcessor, nil, nil, .problem, "use a quieter machine"),
    (
      .wallAtRealTime, nil, 0.1, .note,
      "ask for less (`--margin 10%`), or check CPU time instead (`--measure cost`)"
    ),
    (.wallAsIs, nil, 0.1, .ok, nil),
  ]

  /// Whether the usual margin is within reach matters where a check measures so, and most where it was asked for.
  @Test(arguments: outOfReach)
  func `a margin out of reach says how to reach one`(
    mode: DoctorMode, seconds: Double?, least: Double?, severity: DoctorFinding.Severity, advice: String?
  ) throws {
    let fit: [DoctorReadings.Mode] = [
      DoctorFixture.mode(.costOnOneProcessor, 8), DoctorFixture.mode(.wallAtRealTime, 20),
      DoctorFixture.mode(.wallAsIs, 30),
    ]
    let modes = fit.map { $0.mode == mode ? DoctorFixture.mode(mode, seconds, least: least) : $0 }
    let finding = try finding(mode.rawValue, in: DoctorFixture.readings(modes))
    #expect(finding.severity == severity)
    #expect(finding.advice == advice)
  }
}
