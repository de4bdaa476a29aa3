import Foundation

/// Where, when and how a run was taken: environment.json. The harness fills it. Keys are snake_case with units; nil means unknown and
/// leaves the key out.
public struct EnvironmentRecord: FilledRecord, Codable, Equatable {
  public var run = ""
  /// The executable and its arguments, as given.
  public var commandLine: [String] = []
  /// In UTC, to the second, as ISO 8601.
  public var startedAt = Date(timeIntervalSince1970: 0)
  /// nil while the run goes on, and if it was killed.
  public var finishedAt: Date?
  /// Whether Ctrl-C or SIGTERM ended the run early.
  public var isInterrupted: Bool?
  public var seed: UInt64 = 0
  /// The edition of the contenders' contract; nil: nothing was uploaded, or the first edition.
  public var contract: Int?
  /// The contender of all ratios and overheads.
  public var reference: String?
  public var generations: Int?
  /// `release` or `debug`, whose numbers are worthless.
  public var buildConfiguration = ""
  public var toolchain: String?
  public var commit: String?
  /// Whether the working tree had uncommitted changes.
  public var isDirty: Bool?
  public var operatingSystem: String?
  public var kernel: String?
  public var architecture: String?
  public var cpuModel: String?
  public var coreCount: Int?
  public var memoryBytes: Int?
  /// The harness's own time per sample, included in wall times.
  public var harnessOverheadNanoseconds: Double?
  /// The duration of a hand-over between two threads, before each generation.
  public var handOvers: [HandOverRecord]?
  /// The wake-up latency requested from the kernel; nil: none.
  public var latencyRequestMicroseconds: Int?
  /// The number of processors that the run could use; nil: unknown.
  public var processorsAllowed: Int?
  /// The control group's limit in processors; nil: none, or unknown.
  public var processorQuota: Double?
  /// The share of the time in which the control group was throttled.
  public var throttledShare: Double?
  /// The share of the processors' time that other processes took.
  public var othersShare: Double?
  /// The smallest observed step of the clock.
  public var clockResolutionNanoseconds: Double?
  /// The number of dropped samples, by reason.
  public var droppedSamples: [String: Int] = [:]
  /// Planned cells without a sample, as `contender × scenario`.
  public var missingCells: [String] = []
  /// What a reader must know before believing a number.
  public var warnings: [String] = []
  /// Other facts of the machine, such as its frequency governor.
  public var notes: [String: String] = [:]
  /// The machine's name; in a merged run each part has its own.
  public var machine: String?
  /// The part of a run that this is; nil: the whole.
  public var shard: ShardRecord?
  /// The planned scenarios, by name.
  public var scenarios: [String: ScenarioRecord]?
  /// The contenders' idioms, by the contender's name.
  public var idioms: [String: IdiomRecord]?
  /// The runs that were merged into it.
  public var parts: [EnvironmentRecord]?

  public init() {}
}

extension EnvironmentRecord {
  /// Why a run is incomplete, as a predicate; nil: it is complete.
  public var earlyEnd: String? {
    isInterrupted == true
      ? "was interrupted" : finishedAt == nil ? "has no end: it was killed, or still goes on" : nil
  }

  /// The reference of a scenario; nil: unknown.
  public func reference(of scenario: String) -> String? { scenarios?[scenario]?.reference ?? reference }

  /// The medians over generations of the hand-overs' medians and p90; nil: not measured.
  public var handOver: HandOverRecord? {
    guard let handOvers, !handOvers.isEmpty else { return nil }
    func middle(_ value: (HandOverRecord) -> Double) -> Double {
      let values = handOvers.map(value).sorted()
      return (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
    }
    return HandOverRecord(
      medianNanoseconds: middle(\.medianNanoseconds), p90Nanoseconds: middle(\.p90Nanoseconds))
  }

  public init(json: Data) throws { self = try JSONText.value(from: json) }
}

/// An idiom's name for its users, and what ships it: an entry of environment.json.
public struct IdiomRecord: Codable, Sendable, Equatable {
  /// Such as `async/await`.
  public var name: String
  /// `toolchain`, `this package`, `textbook` or `third party`.
  public var shipsWith: String
  /// Where its completions run by default: `inline`, `queue` or `pool`; nil: unknown.
  public var completions: String?
  /// Its work for each upload, such as `makes a child task`; nil: unknown.
  public var perUpload: String?
  /// Rules of the contract that it is known to break; nil: unknown, or none.
  public var breaks: [String]?
  /// Lines of code of the package's libraries below it; nil: unknown, or none.
  public var libraryLines: Int?

  public init(
    name: String, shipsWith: String, completions: String? = nil, perUpload: String? = nil,
    breaks: [String]? = nil, libraryLines: Int? = nil
  ) {
    (self.name, self.shipsWith) = (name, shipsWith)
    (self.completions, self.perUpload) = (completions, perUpload)
    (self.breaks, self.libraryLines) = (breaks, libraryLines)
  }

  /// Groups of contenders by what ships them, in the order of all lists: the name in records, the heading, the sign behind a contender's
  /// name on a terminal, and the sign's meaning.
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

/// Durations of hand-overs between two raw threads at one moment: an entry of environment.json.
public struct HandOverRecord: Codable, Sendable, Equatable {
  /// The generation after the measurement; nil: none.
  public var generation: Int?
  public var medianNanoseconds: Double
  public var p90Nanoseconds: Double

  public init(generation: Int? = nil, medianNanoseconds: Double, p90Nanoseconds: Double) {
    self.generation = generation
    self.medianNanoseconds = medianNanoseconds
    self.p90Nanoseconds = p90Nanoseconds
  }
}

/// A part of a run whose shards share its scenarios: an entry of environment.json.
public struct ShardRecord: Codable, Sendable, Equatable {
  /// From 1 to ``count``.
  public var number: Int
  public var count: Int
  /// The scenarios of each shard, by name; each scenario of the run is in exactly one.
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

/// Properties of a machine that affect measurements; nil: the machine does not show it.
public struct MachineRecord: Encodable, Sendable, Equatable {
  /// A limit of a control group.
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

  // The clock of all measurements.
  public var clockSource: String?
  /// Its claimed step.
  public var clockResolutionNanoseconds: Double?
  /// Its smallest observed step.
  public var clockStepNanoseconds: Double?
  /// The duration of a reading.
  public var clockReadingNanoseconds: Double?

  public var processorsOnline: Int?
  /// The processors that this process may use.
  public var processorsAllowed: Int?
  /// In processors, such as 1.5.
  public var processorQuota: Limit?
  /// Whether it is active.
  public var multithreading: Bool?
  /// Of the processors that this process may use, without repetition.
  public var frequencyGovernors: [String]?
  /// Whether it is enabled.
  public var boost: Bool?
  public var isVirtualMachine: Bool?

  /// Over the last minute.
  public var loadAverage: Double?
  /// Runnable threads of the machine, without the reading one.
  public var runnableThreads: Int?

  public var memoryBytes: Double?
  public var memoryAvailableBytes: Double?
  public var swapUsedBytes: Double?
  public var memoryLimitBytes: Limit?
  /// A library that replaces the system's `malloc`; nil: none.
  public var allocator: String?
  public var countsAllocations: Bool?

  /// The duration of a hand-over between two threads.
  public var handOver: HandOverRecord?
  /// The same while processors are kept awake.
  public var awakeHandOver: HandOverRecord?
  /// The wake-up latency requested from the kernel during the pairs; nil: none.
  public var latencyRequestMicroseconds: Int?
  /// What keeping processors awake requires, as a clause; nil: it is permitted.
  public var awakeNeeds: String?

  /// `always`, `madvise` or `never`.
  public var transparentHugePages: String?

  /// Whether both sides of a pair can run on one processor.
  public var isOneProcessorPermitted: Bool?
  public var isRealTimePermitted: Bool?
  /// Whether a command is on the path, by name.
  public var commands: [String: Bool] = [:]

  // Shares of 1, during the measurement.
  /// The share of the processors' time that the hypervisor gave to others.
  public var stealShare: Double?
  /// The share of the usable processors' time that other processes took.
  public var othersShare: Double?
  /// The share of the time in which a runnable thread had no processor.
  public var pressureShare: Double?
  /// The share of the time in which the control group was throttled.
  public var throttledShare: Double?

  public init() {}
}
