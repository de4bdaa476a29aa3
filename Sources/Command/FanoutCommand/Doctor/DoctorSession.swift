import Harness
import RawThreads
import Results
import Statistics
import UploadScenario
import Verdicts

/// One examination: what the machine shows, then pairs of this build against itself in every way that a check may take
/// them.
struct DoctorSession<Work: Workload> {
  let options: DoctorOptions<Work>
  let known: ContenderList

  /// Within these seconds the smallest margin is sought.
  private static var times: [Double] { [10, 60, 300] }
  /// Which share of the time is for what is not pairs: reading, trying, simulating.
  private static var shareAside: Double { 0.15 }

  /// One way, and what came of it.
  private typealias Measured = (way: DoctorWay, terms: CheckTerms<Work>, spreads: [Spread])

  /// - Throws: `Interrupted`, if the user ended it.
  func readings() throws -> DoctorReadings {
    let (start, stopwatch) = (MonotonicClock.nanoseconds(), Stopwatch())
    // Before anything of ours runs.
    var machine = MachineProbe().record()
    HandOverComparison.record(into: &machine)
    let awake = try Awake.request(options.isAwake)
    defer { awake?.end() }
    machine.latencyRequestMicroseconds = awake.map { _ in LatencyRequest.microseconds }
    progress("reading the machine …")
    Permissions.record(into: &machine, commands: DoctorReadings.commands)
    if machine.commands["python3"] == true {
      machine.drawsCharts = Permissions.succeeds("python3", ["-c", "import altair, vl_convert"])
    }
    ClockProbe.record(into: &machine)
    let overhead = HarnessOverhead.nanoseconds()
    let shortest = known.contenders.first.flatMap {
      DoctorReadings.ShortestPost.measured(of: $0, by: WorkerCommand.launcher())
    }
    let end = start + UInt64(Double(options.budgetNanoseconds) * (1 - Self.shareAside))
    var failures: [String] = []
    let measured = try measure(&machine, untilNanoseconds: end, &failures)
    progress("simulating checks …")
    var generator = SeededGenerator(seed: options.seed)
    let modes = measured.map { way, terms, spreads in
      DoctorReadings.Mode(
        way.mode, spreads, terms.terms,
        Resolution(of: spreads, terms.terms, times: Self.times, using: &generator))
    }
    return DoctorReadings {
      $0.machine = machine
      $0.isReleaseBuild = Environment.isReleaseBuild
      $0.modes = modes
      $0.asksForWall = options.measure == .wall
      $0.harnessOverheadNanoseconds = overhead
      $0.shortestPost = shortest
      $0.failures = failures
      $0.seconds = stopwatch.seconds
    }
  }

  /// Takes pairs in every way, each for its share of the time that is left.
  private func measure(
    _ machine: inout MachineRecord, untilNanoseconds end: UInt64, _ failures: inout [String]
  ) throws -> [Measured] {
    let (watch, stopwatch) = (DisturbanceWatch(), Stopwatch())
    let ways = DoctorWay.all(machine, lastProcessor: Placement.lastProcessor)
    var measured: [Measured] = []
    // What was asked for gets twice the time of anything else.
    var shares = ways.enumerated().map { index, way in
      ways.firstIndex { $0.measure == options.measure } == index ? 2.0 : 1
    }[...]
    for way in ways {
      progress("\(way.mode.rawValue) …")
      let terms = try CheckTerms(way.measure, options.subjects)
      let now = MonotonicClock.nanoseconds()
      let session = SpreadSession<Work>(options.contenders, SampleLevel(of: way.measure))
      let left = end > now ? Double(end - now) : 0
      let cells = options.subjects.cells(of: options.contenders, in: terms.scenarios)
      let plan = DuetPlan(cells, of: terms.scenarios) { plan in
        plan.measure = way.measure
        plan.budgetNanoseconds = UInt64(left * shares.first! / shares.reduce(0, +))
        plan.seed = options.seed
      }
      shares.removeFirst()
      try session.run(plan, fewestPairs: terms.terms.fewestPairs) { launcher(way, $0).launch }
      failures += session.failures
      measured.append((way, terms, session.spreads))
    }
    watch.record(
      into: &machine, elapsedNanoseconds: stopwatch.nanoseconds, processors: machine.processorsOnline ?? 1)
    return measured
  }

  /// The same build on both sides.
  private func launcher(_ way: DoctorWay, _ side: DuetSide) -> DuetLauncher<Work> {
    DuetLauncher(
      side: side, executable: { _ in WorkerCommand.executable }, measure: way.measure, slowDown: 0,
      injected: nil, placement: way.placement, budgetNanoseconds: options.budgetNanoseconds,
      workerOption: options.subjects.workerOption)
  }

  private func progress(_ text: String) { Terminal.progress(text, isQuiet: options.isQuiet) }
}

extension DoctorReadings.ShortestPost {
  /// Measures a post that is over as soon as any of those that a run takes; nil if it cannot be measured.
  static func measured(
    of contender: any Contender, by launcher: @escaping WorkerLauncher<SampleRequest<Scenario>>
  ) -> DoctorReadings.ShortestPost? {
    let posts = Catalog.full.filter {
      $0.service == .instant && contender.patterns.contains($0.pattern)
    }
    guard let scenario = posts.min(by: { $0.requestCount < $1.requestCount }) else { return nil }
    let pool = WorkerPool(launcher)
    defer { pool.stop() }
    // The first of them warm up; the fastest of all is the one that counts.
    let times = (0..<8).compactMap { _ -> Double? in
      guard let reply = pool.ask(contender.name, SampleRequest(scenario: scenario, iterations: 100)),
        reply.outcome == .measured
      else { return nil }
      return Double(reply.wallNanoseconds) / Double(reply.iterations)
    }
    return times.min().map { DoctorReadings.ShortestPost(scenario: scenario.name, wallNanoseconds: $0) }
  }
}

/// How pairs are taken, and where their processes are placed.
struct DoctorWay: Hashable {
  let mode: DoctorMode
  let placement: Placement

  var measure: DuetMeasure { mode.isCost ? .cost : .wall }

  /// All that this machine permits; of cost and of wall times what a check takes comes first.
  static func all(_ machine: MachineRecord, lastProcessor: Int?) -> [DoctorWay] {
    var ways: [DoctorWay] = []
    if machine.isOneProcessorPermitted == true, let lastProcessor {
      ways.append(DoctorWay(mode: .costOnOneProcessor, placement: .oneProcessor(lastProcessor)))
    } else {
      ways.append(DoctorWay(mode: .costAsIs, placement: .anywhere))
    }
    if machine.isRealTimePermitted == true {
      ways.append(DoctorWay(mode: .wallAtRealTime, placement: .realTime))
    }
    return ways + [DoctorWay(mode: .wallAsIs, placement: .anywhere)]
  }
}

/// What a hand-over between two threads takes as the machine is, and with processors kept awake.
enum HandOverComparison {
  /// By turns, since what else keeps processors awake changes within seconds. The kernel takes the request to keep them
  /// awake at `path`.
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
  /// nil of none.
  init?(_ nanoseconds: [Double], before generation: Int? = nil) {
    guard let median = Quantiles.median(of: nanoseconds), let p90 = Quantiles.quantile(0.9, of: nanoseconds)
    else { return nil }
    self.init(generation: generation, medianNanoseconds: median, p90Nanoseconds: p90)
  }
}

/// Pairs of this build against itself, taken in one way for as long as there is time.
final class SpreadSession<Work: Workload> {
  private let clock: HarnessClock
  private(set) var spreads: [Spread]
  /// What could not be measured and why.
  private(set) var failures: [String] = []
  private var failed: Set<String> = []
  private var lastNanoseconds: UInt64 = 0

  init(_ contenders: [String], _ level: SampleLevel, clock: HarnessClock = .monotonic) {
    self.clock = clock
    spreads = contenders.map { Spread($0, level) }
  }

  /// Takes pairs for the plan's time; whoever has fewer by then than say anything gets that time once more.
  ///
  /// - Throws: `Interrupted`, if the user ended it.
  func run(
    _ plan: DuetPlan<Work>, fewestPairs: Int,
    isInterrupted: @escaping () -> Bool = { Interruption.isRequested },
    _ launchers: (DuetSide) -> WorkerLauncher<SampleRequest<Work>>
  ) throws {
    // More pairs are always welcome.
    try take(plan, launchers, isInterrupted, isEnough: { _ in false })
    let short = spreads.filter { $0.logRatios.count < fewestPairs }.map(\.contender)
    var rest = plan
    rest.cells.removeAll { !short.contains($0.contender) || failed.contains($0.contender) }
    rest.seed &+= 1
    if rest.cells.isEmpty { return }
    try take(rest, launchers, isInterrupted) { $0.logRatios.count >= fewestPairs }
  }

  private func take(
    _ plan: DuetPlan<Work>, _ launchers: (DuetSide) -> WorkerLauncher<SampleRequest<Work>>,
    _ isInterrupted: @escaping () -> Bool, isEnough: @escaping (Spread) -> Bool
  ) throws {
    lastNanoseconds = clock.nanoseconds()
    let duet = Duet(
      plan: plan, base: launchers(.base), candidate: launchers(.candidate), clock: clock,
      isInterrupted: isInterrupted
    ) { event in
      self.hear(event)
      guard case .success(let pair) = event else { return true }
      return self.spreads.first { $0.contender == pair.contender }.map(isEnough) ?? true
    }
    if try duet.run() == .interrupted { throw Interrupted("nothing can be said of this machine") }
  }

  private func hear(_ event: DuetEvent) {
    let now = clock.nanoseconds()
    defer { lastNanoseconds = now }
    switch event {
    case .success(let pair):
      if let index = spreads.firstIndex(where: { $0.contender == pair.contender }) {
        spreads[index].add(
          base: pair.base, candidate: pair.candidate, disturbed: pair.disturbed,
          nanoseconds: Double(now - lastNanoseconds))
      }
    case .failure(let failure):
      failed.insert(failure.contender)
      failures.append("\(failure.contender) in \(failure.scenario): \(failure.reason)")
    }
  }
}
