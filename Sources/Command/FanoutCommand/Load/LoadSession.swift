import Verdicts
import Foundation
import Harness
import RawThreads
import Results
import Statistics
import UploadScenario

struct LoadSession {
  let directory: RunDirectory
  let environment: EnvironmentRecord
  let analysis: LoadAnalysis

  static func measure(
    _ options: LoadOptions, scenarios: [Scenario], in directory: RunDirectory,
    idioms: [String: IdiomRecord]? = nil, launcher: @escaping WorkerLauncher<LoadRequest>
  ) throws -> LoadSession {
    let rule = LoadRule(objective: options.objective)
    var environment = environment(options, scenarios, rule, directory)
    environment.idioms = idioms
    environment.handOvers = HandOverRecord(HandOver.nanoseconds(), before: 0).map { [$0] }
    let conditions = RunConditions()
    conditions.record(into: &environment)
    // The file is created with the first row, so that a run without rows leaves no folder.
    var writer: CSVWriter<LoadWindow>?
    defer { if writer == nil { directory.abandon() } }
    let offers = LoadOffers(options) { MonotonicClock.nanoseconds() }
    let (bar, stopwatch) = (ProgressBar(), Stopwatch())
    let named = scenarios.keyed { ($0.name, $0) }
    var windows: [LoadWindow] = []
    let plan = LoadPlan(contenders: options.contenders.map(\.name), scenarios: scenarios) { plan in
      plan.schedule = options.schedule
      plan.seed = options.recording.seed
      plan.mostPosts = options.mostPosts
      plan.warmUpNanoseconds = min(1_000_000_000, options.windowNanoseconds)
      plan.participants = options.participants
    }
    _ = try LoadRunner(plan, launcher: launcher, isInterrupted: { Interruption.isRequested }).run(
      offer: { cell, round in
        let offer = offers.next(cell, round: round)
        if let offer, !options.recording.isQuiet {
          let fraction = offers.total.map { Double(windows.count) / Double($0) }
          bar.show(
            RunProgress(
              scenario: String(
                format: offer.postsPerSecond < 100 ? "%@ at %.3g/s" : "%@ at %.0f/s", cell.contender,
                offer.postsPerSecond),
              samples: windows.count, unit: "windows",
              // The progress of a search is a share of its maximum time, because its number of windows (measurements) is unknown.
              fraction: fraction ?? min(1, stopwatch.seconds / options.longestSeconds)))
        }
        return offer
      },
      record: { window in
        var row = LoadWindow(
          window, of: named[window.cell.scenario]!, run: directory.name, schedule: options.schedule)
        row.judge(by: rule)
        let file = try writer ?? directory.beginLoad(environment)
        writer = file
        do { try file.append(row) } catch {
          throw FileProblem(error, keeping: windows.count, "window", in: directory.path)
        }
        windows.append(row)
        offers.record(LimitSearch.Answer(row.verdict), window)
      })
    if !options.recording.isQuiet { bar.clear() }
    conditions.end(into: &environment)
    if windows.isEmpty, Interruption.isRequested {
      throw Interrupted("nothing was measured, so no run was recorded")
    }
    try (writer ?? directory.beginLoad(environment)).close()
    environment.finishedAt = Date()
    environment.isInterrupted = Interruption.isRequested
    return LoadSession(
      directory: directory, environment: environment,
      analysis: LoadAnalysis(
        run: directory.name, windows, rule: rule,
        limits: options.precision == nil
          ? [] : limits(options, scenarios, offers, windows, run: directory.name),
        contenders: options.contenders.map(\.name)))
  }

  private static func environment(
    _ options: LoadOptions, _ scenarios: [Scenario], _ rule: LoadRule, _ directory: RunDirectory
  ) -> EnvironmentRecord {
    var environment = Environment.record(
      plan: RunPlan(
        run: directory.name, contenders: options.contenders.map(\.name), scenarios: scenarios
      ) { $0.seed = options.recording.seed },
      reference: options.contenders[0].name, commandLine: CommandLine.arguments, startedAt: Date())
    environment.reference = nil
    environment.generations = nil
    environment.notes["drop_rule"] = nil
    environment.latencyRequestMicroseconds = options.recording.isAwake ? LatencyRequest.microseconds : nil
    environment.notes["load_rule"] = rule.description
    environment.notes["most_posts_in_flight"] = scenarios.map { scenario in
      "\(scenario.name): \(options.mostPosts ?? LoadRequest.mostPosts(of: scenario))"
    }.joined(separator: ", ")
    return environment
  }

  private static func limits(
    _ options: LoadOptions, _ scenarios: [Scenario], _ offers: LoadOffers, _ windows: [LoadWindow],
    run: String
  ) -> [LoadLimit] {
    guard let objective = options.objective else { return [] }
    return scenarios.flatMap { scenario in
      (options.participants[scenario.name] ?? []).compactMap { contender -> LoadLimit? in
        let cell = CellKey(contender: contender, scenario: scenario.name)
        guard let search = offers.search(of: cell), search.count > 0 else { return nil }
        let bad = windows.first {
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
    if search.isLimitUnclear {
      remarks.append("the next higher rate was not sustained, perhaps because of this machine")
    }
    if search.next != nil {
      remarks.append(
        Interruption.isRequested ? "interrupted" : "time was up before the search ended")
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

extension LoadWindow {
  fileprivate init(_ window: TakenWindow, of scenario: Scenario, run: String, schedule: ArrivalSchedule) {
    self.init()
    subject = LoadSubject {
      $0.run = run
      $0.contender = window.cell.contender
      $0.scenario = scenario.name
      $0.pattern = scenario.pattern.rawValue
      $0.service = scenario.service.rawValue
      $0.fanOut = scenario.fanOut
      $0.inFlightLimit = scenario.limit
      $0.payloadBytes = scenario.payloadBytes
      $0.schedule = schedule.rawValue
    }
    round = window.round
    position = window.position
    offeredPerSecond = window.offer.postsPerSecond
    reading = window.reply
  }
}
