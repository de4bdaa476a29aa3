import Harness
import Results
import UploadScenario
import Verdicts

enum RunCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try RunOptions(arguments, known: known)
    try options.recording.checkBuild()
    let transport = try HTTPStore.transport(for: options.scenarios, among: known)
    try Preparation.begin()
    let awake = try Awake.request(options.recording.isAwake)
    let store = try Store(for: options.scenarios)
    defer { store.clean() }
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let remote = try HTTPStore(for: store.scenarios, run: directory.name, transport: transport)
    let plan = RunPlan(
      directory: directory, contenders: options.contenders.map(\.name), scenarios: remote.scenarios,
      options: options.recording, reference: options.reference, participants: options.participants
    ) {
      $0.shard = options.shard
    }
    var analysis = try analysisOptions(plan, options)
    let idioms = known.idiomRecords(of: options.contenders)
    analysis.idioms = idioms ?? [:]
    let controls = options.controls.keyed { ($0.name, $0) }
    var recording = try Recording.measure(
      plan, in: directory, analysis: analysis,
      launcher: WorkerCommand.launcher(budgetNanoseconds: options.recording.budgetNanoseconds) {
        controls[$0]?.workerOptions ?? ["--contender", $0]
      },
      isQuiet: options.recording.isQuiet, awake: awake, idioms: idioms)
    for (name, control) in controls { recording.environment.notes["control \(name)"] = control.description }
    let report = Reporting(recording, analysis: analysis)
    try report.conclude(options.recording.format, showsDetails: options.recording.showsDetails)
    if let shard = options.shard, options.scenarios.isEmpty {
      Terminal.complain(
        "shard \(shard) has nothing to measure: there are \(shard.scenarios.joined().count) scenarios for \(shard.count) shards. Its run directory is empty, and can be merged like any other."
      )
    }
    try recording.checkInterruption()
    if let folder = Wiring.changedMedia(of: options.scenarios) {
      report.failures.forEach { Terminal.complain($0) }
      throw FileProblem(
        "the media files in \(folder) changed during the run, so no contender is at fault. Leave them unchanged, and run it again."
      )
    }
    // Controls upload to the reference's folder, which is compared for the reference already.
    let measured = report.measuredContenders.filter { controls[$0] == nil }
    let participants = options.participants
    let (objects, remoteDifferences) = try remote.differences { scenario in
      measured.filter { participants[scenario.name]?.contains($0) ?? false }
    }
    if objects > 0, remoteDifferences.isEmpty {
      Terminal.remark("\(objects) objects on the server are byte for byte equal to what was sent")
    }
    let differences = try store.differences(contenders: measured) + remoteDifferences
    for failure in report.failures + differences { Terminal.complain(failure) }
    return differences.isEmpty ? report.exitCode : .contenderFailed
  }

  static func analysisOptions(_ plan: RunPlan<Scenario>, _ options: RunOptions) throws
    -> AnalysisOptions
  {
    var analysis = AnalysisOptions(reference: options.reference) {
      $0.plannedCells = plan.cells
      $0.sourceLines = SourceLines.count(
        of: options.contenders, patterns: Set(plan.scenarios.map(\.pattern.rawValue)).sorted())
    }
    for scenario in plan.scenarios {
      let name = scenario.name
      analysis.ends[name] = ScenarioEnd(Expectation.ending(of: scenario, try Wiring.post(scenario)))
      analysis.classes[name] = scenario.workClass
      analysis.contexts[name] = scenario.context?.rawValue
      guard scenario.pattern.unit != .upload || scenario.overlap != nil else { continue }
      let parts = [
        "\(scenario.pattern.rawValue) on \(scenario.service.rawValue)", scenario.size,
        scenario.limit.map { "\($0) at once" }, scenario.rhythm,
      ]
      analysis.subjects[name] = ScenarioSubject(
        text: parts.compactMap(\.self).joined(separator: ", "), unit: scenario.pattern.unit.rawValue)
    }
    return analysis
  }
}

extension ScenarioEnd {
  fileprivate init(_ ending: Expectation.Ending) {
    self =
      switch ending {
      case .publication: .post
      case .failure, .deadline: .error
      case .cancellation: .cancellation
      }
  }
}

extension Scenario {
  var workClass: ScenarioClass {
    let survivesFaults = pattern.races || pattern.retries
    if cancelAfter != nil || !faults.isEmpty && !survivesFaults { return .failing }
    if pattern.blocksThreads { return .blocking }
    if behind > 0 { return .other }
    if watchesHeartbeat { return .computing }
    if service != .instant { return .uploadsWait }
    return mostUnderWay == nil ? .nothingWaits : .limited
  }
}

extension EnvironmentRecord {
  /// The records of the original runs of a merged run. Otherwise this record alone.
  var runs: [EnvironmentRecord] { parts ?? [self] }

  /// Every contender and scenario that was measured, and then those that were only planned.
  func plannedCells(besides samples: [Sample]) -> [CellKey] {
    let seen = samples.map { CellKey(contender: $0.contender, scenario: $0.scenario, machine: $0.machine) }
    let planned = runs.flatMap { run in
      (run.scenarios ?? [:]).sorted { $0.key < $1.key }.flatMap { name, scenario in
        scenario.contenders.map { CellKey(contender: $0, scenario: name, machine: run.machine) }
      }
    }
    return (seen + planned).unique()
  }
}
