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
  public var isAddressSpaceRandomised: Bool?

  /// Whether both sides of a pair can be put on one processor.
  public var isOneProcessorPermitted: Bool?
  public var isRealTimePermitted: Bool?
  public var countsInstructions: Bool?
  public var guardsPagesLightly: Bool?
  /// Whether a command is on the path, by its name.
  public var commands: [String: Bool] = [:]
  /// Whether Python has what `plot.py` draws with.
  public var drawsCharts: Bool?

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
