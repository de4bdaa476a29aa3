import Foundation

/// Where, when and how a run was taken: environment.json.
///
/// A plain record that the harness fills; nothing is probed here. `nil` means unknown and leaves the key out. Keys in
/// the file are snake_case, units in the name.
public struct EnvironmentRecord: Codable, Sendable, Hashable {
  public var run: String
  /// The executable and its arguments, exactly as given.
  public var commandLine: [String]
  /// Written as ISO 8601 in UTC, to the second.
  public var startedAt: Date
  /// nil while the run goes on, and for ever if it was killed.
  public var finishedAt: Date?
  /// Whether Ctrl-C or SIGTERM ended the run early.
  public var isInterrupted: Bool?
  public var seed: UInt64
  /// What ratios and overheads are taken against.
  public var reference: String?
  public var generations: Int?
  /// `release` or `debug`; a debug build's numbers are worth nothing.
  public var buildConfiguration: String
  public var toolchain: String?
  public var commit: String?
  /// Whether the working tree had changes that `commit` lacks.
  public var isDirty: Bool?
  public var operatingSystem: String?
  public var kernel: String?
  public var architecture: String?
  public var cpuModel: String?
  public var coreCount: Int?
  public var memoryBytes: Int?
  /// The harness's own time per sample, included in every wall time.
  public var harnessOverheadNanoseconds: Double?
  /// The smallest step of the clock that was seen.
  public var clockResolutionNanoseconds: Double?
  /// How many samples were dropped, by reason.
  public var droppedSamples: [String: Int]
  /// Cells that were planned, but have no sample, as `contender × scenario`.
  public var missingCells: [String]
  /// What the reader must know before believing a number; empty is the good case.
  public var warnings: [String]
  /// Anything else worth knowing about the machine, such as its frequency governor.
  public var notes: [String: String]
  /// What the machine is called; in a run that was merged from several, each part says its own.
  public var machine: String?
  /// Which part of a run this is; nil: the whole.
  public var shard: ShardRecord?
  /// What was to be measured, by the scenario's name.
  public var scenarios: [String: ScenarioRecord]?
  /// The runs that this one was merged from.
  public var parts: [EnvironmentRecord]?

  public init(
    run: String, commandLine: [String], startedAt: Date, finishedAt: Date? = nil, isInterrupted: Bool? = nil,
    seed: UInt64, reference: String? = nil, generations: Int? = nil, buildConfiguration: String,
    toolchain: String? = nil, commit: String? = nil, isDirty: Bool? = nil, operatingSystem: String? = nil,
    kernel: String? = nil, architecture: String? = nil, cpuModel: String? = nil, coreCount: Int? = nil,
    memoryBytes: Int? = nil, harnessOverheadNanoseconds: Double? = nil,
    clockResolutionNanoseconds: Double? = nil, droppedSamples: [DropReason: Int] = [:],
    missingCells: [String] = [], warnings: [String] = [], notes: [String: String] = [:],
    machine: String? = nil, shard: ShardRecord? = nil, scenarios: [String: ScenarioRecord]? = nil,
    parts: [EnvironmentRecord]? = nil
  ) {
    self.run = run
    self.commandLine = commandLine
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.isInterrupted = isInterrupted
    self.seed = seed
    self.reference = reference
    self.generations = generations
    self.buildConfiguration = buildConfiguration
    self.toolchain = toolchain
    self.commit = commit
    self.isDirty = isDirty
    self.operatingSystem = operatingSystem
    self.kernel = kernel
    self.architecture = architecture
    self.cpuModel = cpuModel
    self.coreCount = coreCount
    self.memoryBytes = memoryBytes
    self.harnessOverheadNanoseconds = harnessOverheadNanoseconds
    self.clockResolutionNanoseconds = clockResolutionNanoseconds
    self.droppedSamples = Dictionary(
      uniqueKeysWithValues: droppedSamples.map { ($0.key.rawValue, $0.value) })
    self.missingCells = missingCells
    self.warnings = warnings
    self.notes = notes
    self.machine = machine
    self.shard = shard
    self.scenarios = scenarios
    self.parts = parts
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case run
    case commandLine = "command_line"
    case startedAt = "started_at"
    case finishedAt = "finished_at"
    case isInterrupted = "interrupted"
    case seed
    case reference
    case generations
    case buildConfiguration = "build_configuration"
    case toolchain
    case commit
    case isDirty = "dirty"
    case operatingSystem = "operating_system"
    case kernel
    case architecture
    case cpuModel = "cpu_model"
    case coreCount = "core_count"
    case memoryBytes = "memory_bytes"
    case harnessOverheadNanoseconds = "harness_overhead_ns"
    case clockResolutionNanoseconds = "clock_resolution_ns"
    case droppedSamples = "dropped_samples"
    case missingCells = "missing_cells"
    case warnings
    case notes
    case machine, shard, scenarios, parts
  }
}
