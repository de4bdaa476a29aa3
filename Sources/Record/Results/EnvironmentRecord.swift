import Foundation

/// Where, when and how a run was measured: the content of environment.json. `nil` means unknown and leaves the key out.
public struct EnvironmentRecord: FilledRecord, Codable, Equatable {
  public var run = ""
  /// The executable and its arguments, as the user gave them.
  public var commandLine: [String] = []
  /// The start of the run, in the file as ISO 8601 in UTC, to the second.
  public var startedAt = Date(timeIntervalSince1970: 0)
  /// The end of the run; `nil` if the run still goes on or was killed.
  public var finishedAt: Date?
  /// Whether Ctrl-C or SIGTERM ended the run early.
  public var isInterrupted: Bool?
  public var seed: UInt64 = 0
  /// The edition of the requirements on contenders; `nil` for the first edition, or if nothing was uploaded.
  public var contract: Int?
  /// The contender with which all others are compared.
  public var reference: String?
  public var generations: Int?
  /// `release` or `debug`. Times of a debug build are meaningless.
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
  /// The harness's own time per sample, which wall times include.
  public var harnessOverheadNanoseconds: Double?
  /// How long one thread takes to wake another, measured before each group of new worker processes.
  public var handOvers: [HandOverRecord]?
  /// The wake-up latency of processors that was requested from the kernel.
  public var latencyRequestMicroseconds: Int?
  /// The number of processors that the run could use.
  public var processorsAllowed: Int?
  /// The control group's limit in processors; `nil` also if there is none.
  public var processorQuota: Double?
  /// The share of the run's time in which the control group was throttled.
  public var throttledShare: Double?
  /// The share of the processors' time that other processes used.
  public var othersShare: Double?
  /// The smallest observed step of the clock.
  public var clockResolutionNanoseconds: Double?
  /// The number of dropped samples by reason.
  public var droppedSamples: [String: Int] = [:]
  /// What was planned but has no sample, as `contender × scenario`.
  public var missingCells: [String] = []
  /// What the user must read before trusting the run's numbers.
  public var warnings: [String] = []
  /// Other properties of the machine, such as its frequency governor.
  public var notes: [String: String] = [:]
  /// The machine's name. In a merged run, each of the `parts` has its own.
  public var machine: String?
  /// The shard of a run that is split by scenario; `nil` for a whole run.
  public var shard: ShardRecord?
  /// The planned scenarios by name.
  public var scenarios: [String: ScenarioRecord]?
  /// The contenders' idioms (ways to write asynchronous code), by the contender's name.
  public var idioms: [String: IdiomRecord]?
  /// The runs that were merged into this run.
  public var parts: [EnvironmentRecord]?

  public init() {}

  public init(json: Data) throws { self = try JSONText.value(from: json) }

  /// Why the run is incomplete, as a predicate; `nil` if it is complete.
  public var earlyEnd: String? {
    isInterrupted == true
      ? "was interrupted" : finishedAt == nil ? "has no end time: it was killed or is still running" : nil
  }

  /// The reference of a scenario; `nil` if unknown.
  public func reference(of scenario: String) -> String? { scenarios?[scenario]?.reference ?? reference }

  /// How long one thread takes to wake another: the medians over all measurements of the run. `nil` if not measured.
  public var handOver: HandOverRecord? {
    guard let handOvers, !handOvers.isEmpty else { return nil }
    func middle(_ value: (HandOverRecord) -> Double) -> Double {
      let values = handOvers.map(value).sorted()
      return (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
    }
    return HandOverRecord(
      medianNanoseconds: middle(\.medianNanoseconds), p90Nanoseconds: middle(\.p90Nanoseconds))
  }
}

/// An idiom (a way to write asynchronous code), as environment.json describes it. `nil` means unknown.
public struct IdiomRecord: Codable, Sendable, Equatable {
  /// The name of the idiom, such as `async/await`.
  public var name: String
  /// The origin: `toolchain`, `this package`, `textbook` or `third party`.
  public var shipsWith: String
  /// Where completions run by default: `inline`, `queue` or `pool`.
  public var completions: String?
  /// What the idiom does for each upload, such as `makes a child task`.
  public var perUpload: String?
  /// The requirements that the idiom is known to break; `nil` also if there are none.
  public var breaks: [String]?
  /// The lines of code of this package's libraries that the idiom uses; `nil` also if there are none.
  public var libraryLines: Int?

  public init(
    name: String, shipsWith: String, completions: String? = nil, perUpload: String? = nil,
    breaks: [String]? = nil, libraryLines: Int? = nil
  ) {
    (self.name, self.shipsWith) = (name, shipsWith)
    (self.completions, self.perUpload) = (completions, perUpload)
    (self.breaks, self.libraryLines) = (breaks, libraryLines)
  }

  /// Groups of contenders by origin, in the order of all lists. `mark` stands behind a contender's name on a terminal, and `meaning`
  /// explains it.
  public static let groups: [(shipsWith: String, title: String, mark: String?, meaning: String)] = [
    ("toolchain", "comes with Swift and Foundation", "*", "Swift"),
    ("third party", "libraries that people use", "+", "a third party's package"),
    ("this package", "libraries of this package", nil, "this package"),
    ("textbook", "textbook", nil, "articles"),
  ]

  /// The heading for idioms (ways to write asynchronous code) of this origin in lists; `nil` if the origin is unknown.
  public var group: String? { Self.groups.first { $0.shipsWith == shipsWith }?.title }

  /// The index of the idiom's group, or the number of groups if it is unknown.
  public var groupNumber: Int { Self.groups.firstIndex { $0.shipsWith == shipsWith } ?? Self.groups.count }
}

/// How long one thread takes to wake another: an entry of environment.json.
public struct HandOverRecord: Codable, Sendable, Equatable {
  /// Which group of new worker processes started after the measurement; `nil` if none did.
  public var generation: Int?
  public var medianNanoseconds: Double
  public var p90Nanoseconds: Double

  public init(generation: Int? = nil, medianNanoseconds: Double, p90Nanoseconds: Double) {
    self.generation = generation
    self.medianNanoseconds = medianNanoseconds
    self.p90Nanoseconds = p90Nanoseconds
  }
}

/// A shard of a run that is split by scenario: an entry of environment.json.
public struct ShardRecord: Codable, Sendable, Equatable, CustomStringConvertible {
  /// The number of this shard, from 1 to ``count``.
  public var number: Int
  public var count: Int
  /// The names of each shard's scenarios, each in exactly one shard.
  public var scenarios: [[String]]

  public init(number: Int, count: Int, scenarios: [[String]]) {
    self.number = number
    self.count = count
    self.scenarios = scenarios
  }

  /// The shard's number and the number of shards, such as `2/4`.
  public var description: String { "\(number)/\(count)" }
}

/// Properties of a machine that affect measurements. `nil` means unknown.
public struct MachineRecord: Encodable, Sendable, Equatable {
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

  /// The clock that all measurements use.
  public var clockSource: String?
  public var clockResolutionNanoseconds: Double?
  /// The clock's smallest observed step. The resolution is the step that the system claims.
  public var clockStepNanoseconds: Double?
  /// How long one reading of the clock takes.
  public var clockReadingNanoseconds: Double?

  public var processorsOnline: Int?
  /// The number of processors that this process may use.
  public var processorsAllowed: Int?
  /// The control group's limit in processors, such as 1.5.
  public var processorQuota: Limit?
  /// Whether simultaneous multithreading is active.
  public var multithreading: Bool?
  /// The distinct frequency governors of the processors that this process may use.
  public var frequencyGovernors: [String]?
  /// Whether frequency boost is enabled.
  public var boost: Bool?
  public var isVirtualMachine: Bool?

  /// The load average over the last minute.
  public var loadAverage: Double?
  /// The number of runnable threads of the machine, without the reading thread.
  public var runnableThreads: Int?

  public var memoryBytes: Double?
  public var memoryAvailableBytes: Double?
  public var swapUsedBytes: Double?
  public var memoryLimitBytes: Limit?
  /// A library that replaces the system's `malloc`.
  public var allocator: String?
  public var countsAllocations: Bool?

  public var handOver: HandOverRecord?
  /// How long one thread takes to wake another while processors are kept out of deep sleep.
  public var awakeHandOver: HandOverRecord?
  /// The wake-up latency that is requested from the kernel to keep processors out of deep sleep.
  public var latencyRequestMicroseconds: Int?
  /// What keeping processors out of deep sleep requires, as a clause; `nil` if it is permitted.
  public var awakeNeeds: String?

  /// The kernel's setting: `always`, `madvise` or `never`.
  public var transparentHugePages: String?

  /// Whether two builds that are compared can be bound to one processor.
  public var isOneProcessorPermitted: Bool?
  public var isRealTimePermitted: Bool?
  /// Whether each command was found in the directories of `PATH`.
  public var commands: [String: Bool] = [:]

  /// The share of the processors' time, from 0 to 1, that the hypervisor gave to other machines.
  public var stealShare: Double?
  /// The share of the usable processors' time that other processes used.
  public var othersShare: Double?
  /// The share of the time in which a runnable thread had no processor.
  public var pressureShare: Double?
  /// The share of the time in which the control group was throttled.
  public var throttledShare: Double?

  public init() {}
}
