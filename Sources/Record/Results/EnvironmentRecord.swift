import Foundation

/// Where, when and how a run was taken: environment.json.
///
/// A plain record that the harness fills; nothing is probed here. `nil` means unknown and leaves the key out. Keys in
/// the file are snake_case, units in the name.
public struct EnvironmentRecord: FilledRecord, Codable, Equatable {
  public var run = ""
  /// The executable and its arguments, exactly as given.
  public var commandLine: [String] = []
  /// Written as ISO 8601 in UTC, to the second.
  public var startedAt = Date(timeIntervalSince1970: 0)
  /// nil while the run goes on, and if it was killed.
  public var finishedAt: Date?
  /// Whether Ctrl-C or SIGTERM ended the run early.
  public var isInterrupted: Bool?
  public var seed: UInt64 = 0
  /// The edition of the contract that the contenders fulfil; nil where nothing was uploaded, and before there were editions: the
  /// first.
  public var contract: Int?
  /// What ratios and overheads are taken against.
  public var reference: String?
  public var generations: Int?
  /// `release` or `debug`; a debug build's numbers are worth nothing.
  public var buildConfiguration = ""
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
  /// What a hand-over between two threads took, before each generation.
  public var handOvers: [HandOverRecord]?
  /// How long a processor might take to wake, as the kernel was asked for; nil: nothing was asked.
  public var latencyRequestMicroseconds: Int?
  /// How many processors the run might use; nil: unknown.
  public var processorsAllowed: Int?
  /// In processors' time, what the control group allows; nil: all there is, or unknown.
  public var processorQuota: Double?
  /// Of the time, when the control group was held back because it had used up its quota.
  public var throttledShare: Double?
  /// Of the processors' time, what other processes took while the run was measured.
  public var othersShare: Double?
  /// The smallest step of the clock that was seen.
  public var clockResolutionNanoseconds: Double?
  /// How many samples were dropped, by reason.
  public var droppedSamples: [String: Int] = [:]
  /// Cells that were planned, but have no sample, as `contender × scenario`.
  public var missingCells: [String] = []
  /// What the reader must know before believing a number; empty is the good case.
  public var warnings: [String] = []
  /// Anything else worth knowing about the machine, such as its frequency governor.
  public var notes: [String: String] = [:]
  /// What the machine is called; in a run that was merged from several, each part says its own.
  public var machine: String?
  /// Which part of a run this is; nil: the whole.
  public var shard: ShardRecord?
  /// What was to be measured, by the scenario's name.
  public var scenarios: [String: ScenarioRecord]?
  /// What each contender is to its users, by its name.
  public var idioms: [String: IdiomRecord]?
  /// The runs that this one was merged from.
  public var parts: [EnvironmentRecord]?

  public init() {}
}

extension EnvironmentRecord {
  /// How a run ended that has less than it was to have, as what its folder did; nil: it is whole.
  public var earlyEnd: String? {
    isInterrupted == true
      ? "was interrupted" : finishedAt == nil ? "has no end: it was killed, or still goes on" : nil
  }

  /// What the ratios of a scenario were taken against; nil: unknown.
  public func reference(of scenario: String) -> String? { scenarios?[scenario]?.reference ?? reference }

  /// What a hand-over between two threads took: the medians of the generations' medians and of their p90; nil if that was not measured.
  public var handOver: HandOverRecord? {
    guard let handOvers, !handOvers.isEmpty else { return nil }
    func middle(_ value: (HandOverRecord) -> Double) -> Double {
      let values = handOvers.map(value).sorted()
      return (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
    }
    return HandOverRecord(
      medianNanoseconds: middle(\.medianNanoseconds), p90Nanoseconds: middle(\.p90Nanoseconds))
  }

  public init(json: Data) throws {
    self = try JSONText.value(from: json)
  }
}

/// What a contender is called by its users, and who ships it: an entry of environment.json.
public struct IdiomRecord: Codable, Sendable, Equatable {
  /// Such as `async/await`.
  public var name: String
  /// `toolchain`, `this package`, `textbook` or `third party`.
  public var shipsWith: String
  /// Where its completions run unless a scenario says otherwise: `inline`, `queue` or `pool`; nil: unknown.
  public var completions: String?
  /// What it does for each upload, such as `makes a child task`; nil: unknown.
  public var perUpload: String?
  /// The rules of the contract that it is known to break; nil: unknown, or none.
  public var breaks: [String]?
  /// Lines of code of the package's libraries that it stands on; nil: unknown, or none.
  public var libraryLines: Int?

  public init(
    name: String, shipsWith: String, completions: String? = nil, perUpload: String? = nil,
    breaks: [String]? = nil, libraryLines: Int? = nil
  ) {
    (self.name, self.shipsWith) = (name, shipsWith)
    (self.completions, self.perUpload) = (completions, perUpload)
    (self.breaks, self.libraryLines) = (breaks, libraryLines)
  }

  /// Groups of contenders by what ships them, in the order of every list and table: as records call it, the group's heading, what a
  /// terminal puts behind a contender's name, and what it comes with.
  public static let groups: [(shipsWith: String, title: String, mark: String?, meaning: String)] = [
    ("toolchain", "comes with Swift and Foundation", "*", "Swift"),
    ("this package", "libraries of this package", nil, "this package"),
    ("textbook", "textbook", nil, "articles"),
    ("third party", "libraries that people use", "+", "a third party's package"),
  ]

  /// The heading of its group; nil: unknown.
  public var group: String? { Self.groups.first { $0.shipsWith == shipsWith }?.title }

  /// The place of its group among ``groups``.
  public var groupNumber: Int { Self.groups.firstIndex { $0.shipsWith == shipsWith } ?? Self.groups.count }
}

/// What a hand-over between two raw threads that wake each other took at one moment, of many: an entry of environment.json.
public struct HandOverRecord: Codable, Sendable, Equatable {
  /// Before which it was measured; nil: before none.
  public var generation: Int?
  public var medianNanoseconds: Double
  public var p90Nanoseconds: Double

  public init(generation: Int? = nil, medianNanoseconds: Double, p90Nanoseconds: Double) {
    self.generation = generation
    self.medianNanoseconds = medianNanoseconds
    self.p90Nanoseconds = p90Nanoseconds
  }
}

/// Which part of a run this one is, of so many that share its scenarios: an entry of environment.json.
public struct ShardRecord: Codable, Sendable, Equatable {
  /// From 1 to ``count``.
  public var number: Int
  public var count: Int
  /// The scenarios of each shard, by name: every scenario of the whole run stands in exactly one.
  public var scenarios: [[String]]

  public init(number: Int, count: Int, scenarios: [[String]]) {
    self.number = number
    self.count = count
    self.scenarios = scenarios
  }
}

extension ShardRecord: CustomStringConvertible {
  /// Such as `2/4`.
  public var description: String { "\(number)/\(count)" }
}

/// What a machine shows of itself that bears on measuring; `nil` means that it does not show it.
public struct MachineRecord: Encodable, Sendable, Equatable {
  /// What a control group allows.
  public enum Limit: Encodable, Sendable, Equatable {
    case unlimited
    case at(Double)

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .unlimited: try container.encode("unlimited")
      case .at(let value): try container.encode(value)
      }
    }
  }

  // The clock that everything is measured with.
  public var clockSource: String?
  /// The step that it claims to make.
  public var clockResolutionNanoseconds: Double?
  /// The smallest step that was seen.
  public var clockStepNanoseconds: Double?
  /// What one reading takes.
  public var clockReadingNanoseconds: Double?

  public var processorsOnline: Int?
  /// Of those, the ones that this process may use.
  public var processorsAllowed: Int?
  /// In processors: 1.5 is the time of one and a half.
  public var processorQuota: Limit?
  /// Whether it is active.
  public var multithreading: Bool?
  /// Of the processors that this process may use, each once.
  public var frequencyGovernors: [String]?
  /// Whether it is enabled.
  public var boost: Bool?
  public var isVirtualMachine: Bool?

  /// Over the minute before.
  public var loadAverage: Double?
  /// Runnable threads of the whole machine, without the one that reads this number.
  public var runnableThreads: Int?

  public var memoryBytes: Double?
  public var memoryAvailableBytes: Double?
  public var swapUsedBytes: Double?
  public var memoryLimitBytes: Limit?
  /// The library that provides `malloc` in place of the system's own; nil: none does.
  public var allocator: String?
  public var countsAllocations: Bool?

  /// What a hand-over between two threads takes.
  public var handOver: HandOverRecord?
  /// The same while processors are kept from sleeping.
  public var awakeHandOver: HandOverRecord?
  /// How long a processor might take to wake while pairs were taken, as the kernel was asked for; nil: nothing was asked.
  public var latencyRequestMicroseconds: Int?
  /// What it needs to keep them so, as a clause; nil: it is permitted.
  public var awakeNeeds: String?

  /// `always`, `madvise` or `never`.
  public var transparentHugePages: String?

  /// Whether both sides of a pair can be put on one processor.
  public var isOneProcessorPermitted: Bool?
  public var isRealTimePermitted: Bool?
  /// Whether a command is on the path, by its name.
  public var commands: [String: Bool] = [:]

  // While something was measured, as shares of 1.
  /// Of the processors' time, what the hypervisor gave to others.
  public var stealShare: Double?
  /// Of the time of the processors that this process may use, what other processes took.
  public var othersShare: Double?
  /// Of the time, when some thread that could run had no processor.
  public var pressureShare: Double?
  /// Of the time, when the control group was held back because it had used up its quota.
  public var throttledShare: Double?

  public init() {}
}
