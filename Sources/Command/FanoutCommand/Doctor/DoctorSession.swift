import Harness
import RawThreads
import Results
import Statistics
import Verdicts

/// Examines the machine. Then compares this build with itself, once by CPU time and once by wall time.
struct DoctorSession<Work: Workload> {
  let options: DoctorOptions<Work>
  var clock = HarnessClock.monotonic
  var launcher: WorkerLauncher<SampleRequest<Work>>?

  private static var pairsShare: Double { 0.85 }

  func readings() throws -> DoctorReadings {
    let stopwatch = Stopwatch()
    var readings = DoctorReadings()
    // The machine is examined first, because the measurement would put load on it.
    readings.machine = MachineProbe().record()
    HandOverComparison.record(into: &readings.machine)
    let awake = try Awake.request(options.isAwake)
    defer { awake?.end() }
    readings.machine.latencyRequestMicroseconds = awake.map { _ in LatencyRequest.microseconds }
    progress("reading the machine …")
    Permissions.record(into: &readings.machine, commands: DoctorReadings.commands)
    ClockProbe.record(into: &readings.machine)
    readings.harnessOverheadNanoseconds = HarnessOverhead.nanoseconds()
    readings.isReleaseBuild = Environment.isReleaseBuild
    readings.asksForWall = options.measure == .wall
    let (watch, watched) = (DisturbanceWatch(), Stopwatch())
    let nanoseconds = Double(options.budgetNanoseconds) * Self.pairsShare
    for measure in DuetMeasure.allCases {
      // The measure that the user chose (CPU or wall time) gets twice as much time as the other one.
      let share = measure == options.measure ? 2.0 / 3 : 1.0 / 3
      let (outlook, failures) = try outlook(of: measure, nanoseconds: UInt64(nanoseconds * share))
      readings.outlooks.append(outlook)
      readings.failures = (readings.failures + failures).unique()
    }
    watch.record(
      into: &readings.machine, elapsedNanoseconds: watched.nanoseconds,
      processors: readings.machine.processorsOnline ?? 1)
    readings.seconds = stopwatch.seconds
    return readings
  }

  /// Measures this build against itself, for the given time. Takes up to twice as long if a contender has too few pairs of samples by then.
  func outlook(of measure: DuetMeasure, nanoseconds: UInt64) throws -> (CheckOutlook, failures: [String]) {
    let (check, placement) = (try DoctorOptions.usualCheck(measure, options.subjects), measure.placement)
    progress("\(measure.name(at: placement)) …")
    let plan = DuetPlan(
      options.subjects.cells(of: options.contenders, in: check.scenarios), of: check.scenarios
    ) { plan in
      plan.measure = measure
      plan.budgetNanoseconds = 2 * nanoseconds
      plan.seed = options.seed
    }
    var spreads = options.contenders.map { Spread($0, check.level) }
    var failures: [String] = []
    let begin = clock.nanoseconds()
    var last = begin
    let launch =
      launcher
      ?? DuetLauncher(
        side: .base, executable: { _ in WorkerCommand.executable }, measure: measure, slowDown: 0,
        injected: nil, placement: placement, budgetNanoseconds: options.budgetNanoseconds,
        workerOption: options.subjects.workerOption
      ).launch
    let duet = Duet(
      plan: plan, base: launch, candidate: launch, clock: clock,
      isInterrupted: { Interruption.isRequested }
    ) { event in
      let now = clock.nanoseconds()
      defer { last = now }
      switch event {
      case .success(let pair):
        guard let index = spreads.firstIndex(where: { $0.contender == pair.contender }) else { return true }
        spreads[index].add(
          base: pair.base, candidate: pair.candidate, disturbed: pair.disturbed,
          nanoseconds: Double(now - last))
        return now - begin >= nanoseconds && spreads[index].logRatios.count >= check.test.rule.fewestPairs
      case .failure(let failure):
        failures.append("\(failure.contender) in \(failure.scenario): \(failure.reason)")
        return true
      }
    }
    if try duet.run() == .interrupted { throw Interrupted("the machine was not measured to the end") }
    let outlook = CheckOutlook(
      measure: measure.name(at: placement), isCost: measure == .cost, spreads: spreads,
      cells: options.subjects.cells(of: check.contenders, in: check.scenarios).count, margin: check.margin,
      budgetSeconds: Double(check.budgetNanoseconds) / 1e9)
    return (outlook, failures)
  }

  private func progress(_ text: String) { Terminal.progress(text, isQuiet: options.isQuiet) }
}

/// Measures how long one thread takes to wake another, with and without processors kept awake.
enum HandOverComparison {
  /// Alternates between both states, because other processes that keep processors awake come and go within seconds.
  static func record(
    into record: inout MachineRecord, turns: Int = 4,
    path: String = LatencyRequest.path, measure: () -> [Double] = { HandOver.nanoseconds() }
  ) {
    var (asIs, awake): ([Double], [Double]) = ([], [])
    for _ in 0..<turns {
      asIs += measure()
      do throws(LatencyRequest.Refused) {
        let request = try LatencyRequest(path: path)
        awake += measure()
        request.end()
      } catch {
        record.awakeNeeds = error.description
      }
    }
    (record.handOver, record.awakeHandOver) = (HandOverRecord(asIs), HandOverRecord(awake))
  }
}

extension HandOverRecord {
  init?(_ nanoseconds: [Double], before generation: Int? = nil) {
    guard let median = Quantiles.median(of: nanoseconds), let p90 = Quantiles.quantile(0.9, of: nanoseconds)
    else { return nil }
    self.init(generation: generation, medianNanoseconds: median, p90Nanoseconds: p90)
  }
}
