import Analysis
import Foundation
import Harness
import RawThreads
import Results
import Statistics
import UploadScenario

/// Takes the windows of a load run into a run directory.
struct LoadSession {
  let directory: RunDirectory
  let environment: EnvironmentRecord
  let analysis: LoadAnalysis

  init(_ options: LoadOptions, scenarios: [Scenario], in directory: RunDirectory) throws {
    self.directory = directory
    let rule = LoadRule(objective: options.objective)
    var environment = Self.environment(options, scenarios, rule, directory)
    let writer = try directory.beginLoad(environment)
    let offers = LoadOffers(options) { MonotonicClock.nanoseconds() }
    let progress = LoadProgress(options, total: offers.total)
    let named = Dictionary(uniqueKeysWithValues: scenarios.map { ($0.name, $0) })
    var measurements: [LoadMeasurement] = []
    let runner = LoadRunner(
      LoadPlan(
        contenders: options.contenders.map(\.name), scenarios: scenarios, schedule: options.schedule,
        seed: options.recording.seed, mostPosts: options.mostPosts,
        warmUpNanoseconds: min(1_000_000_000, options.windowNanoseconds), participants: options.participants),
      isInterrupted: { Interruption.isRequested },
      launch: { contender throws(WorkerFailure) in
        try LoadWorkerProcess(
          executable: WorkerCommand.executable,
          arguments: [Subcommand.worker.rawValue, "--load", contender],
          isInterrupted: { Interruption.isRequested })
      })
    _ = try runner.run(
      offer: { cell, round in
        let offer = offers.next(cell, round: round)
        if let offer { progress.show(cell, offer, windows: measurements.count) }
        return offer
      },
      record: { window in
        let measurement = LoadMeasurement(
          window, of: named[window.cell.scenario]!, run: directory.name, schedule: options.schedule)
        let row = measurement.row(rule)
        try writer.append(row)
        measurements.append(measurement)
        offers.record(LimitSearch.Answer(row.verdict), window)
      })
    progress.clear()
    try writer.close()
    analysis = LoadAnalysis(
      run: directory.name, measurements, rule: rule,
      limits: options.precision == nil
        ? [] : Self.limits(options, scenarios, offers, measurements, run: directory.name),
      contenders: options.contenders.map(\.name))
    environment.finishedAt = Date()
    environment.isInterrupted = Interruption.isRequested
    self.environment = environment
  }

  private static func environment(
    _ options: LoadOptions, _ scenarios: [Scenario], _ rule: LoadRule, _ directory: RunDirectory
  ) -> EnvironmentRecord {
    var environment = Environment.record(
      plan: RunPlan(
        run: directory.name, contenders: options.contenders.map(\.name), scenarios: scenarios,
        seed: options.recording.seed),
      reference: options.contenders[0].name, commandLine: CommandLine.arguments, startedAt: Date())
    // Of a run of samples.
    environment.reference = nil
    environment.generations = nil
    environment.notes["drop_rule"] = nil
    environment.notes["load_rule"] = rule.description
    environment.notes["most_posts_in_flight"] = scenarios.map { scenario in
      "\(scenario.name): \(options.mostPosts ?? LoadRequest.mostPosts(of: scenario))"
    }.joined(separator: ", ")
    return environment
  }

  private static func limits(
    _ options: LoadOptions, _ scenarios: [Scenario], _ offers: LoadOffers, _ measurements: [LoadMeasurement],
    run: String
  ) -> [LoadLimit] {
    guard let objective = options.objective else { return [] }
    return scenarios.flatMap { scenario in
      (options.participants[scenario.name] ?? []).compactMap { contender -> LoadLimit? in
        let cell = LoadCell(contender: contender, scenario: scenario.name)
        guard let search = offers.search(of: cell), search.count > 0 else { return nil }
        let bad = measurements.first {
          $0.subject.contender == contender && $0.subject.scenario == scenario.name && $0.outcome != .measured
        }
        return LoadLimit {
          $0.run = run
          $0.contender = contender
          $0.scenario = scenario.name
          $0.objectivePercentile = objective.name
          $0.objectiveNanoseconds = Int(objective.nanoseconds)
          $0.heldPerSecond = bad == nil ? search.held : nil
          $0.missedPerSecond = bad == nil ? search.missed : nil
          $0.windows = search.count
          $0.isMonotone = search.isMonotone
          $0.outcome = bad?.outcome ?? .measured
          $0.reason = bad?.reason ?? remark(search)
        }
      }
    }
  }

  private static func remark(_ search: LimitSearch) -> String? {
    var remarks: [String] = []
    if search.isLimitUnclear { remarks.append("at the rate above, the machine was the limit") }
    if search.next != nil {
      remarks.append(
        Interruption.isRequested ? "interrupted" : "time was up before the search was through")
    }
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }
}

extension LimitSearch.Answer {
  fileprivate init(_ verdict: LoadVerdict?) {
    switch verdict {
    case .held: self = .held
    case .missed, .saturated: self = .missed
    case .generatorLate, .machineLimit, nil: self = .unclear
    }
  }
}

extension LoadMeasurement {
  /// What the harness saw, for the analysis, which knows nothing of the harness.
  init(_ window: TakenWindow, of scenario: Scenario, run: String, schedule: ArrivalSchedule) {
    let (reply, columns) = (window.reply, scenario.columns)
    self.init(
      subject: LoadSubject {
        $0.run = run
        $0.contender = window.cell.contender
        $0.scenario = scenario.name
        $0.pattern = columns.pattern
        $0.service = columns.service
        $0.fanOut = columns.fanOut
        $0.inFlightLimit = columns.inFlightLimit
        $0.payloadBytes = columns.payloadBytes
        $0.schedule = schedule.rawValue
      },
      round: window.round, position: window.position, offeredPerSecond: window.offer.postsPerSecond,
      windowNanoseconds: reply.windowNanoseconds)
    due = reply.posts.due
    completed = reply.posts.completed
    givenUp = reply.posts.givenUp
    wrong = reply.posts.wrong
    peakInFlight = reply.posts.peakInFlight
    isFull = reply.isFull
    drainNanoseconds = reply.drainNanoseconds
    earlyLatencyNanoseconds = reply.earlyLatencyNanoseconds
    idealNanoseconds = reply.idealNanoseconds
    latencies = reply.latencies
    lateness = reply.lateness
    holdUps = reply.holdUps
    processNanoseconds = reply.usage.cpuNanoseconds
    busyNanoseconds = reply.processors?.busyNanoseconds
    idleNanoseconds = reply.processors?.idleNanoseconds
    stealNanoseconds = reply.processors?.stealNanoseconds
    outcome = reply.outcome
    reason = reply.reason
  }
}
