/// What was measured of a window of load, or of all windows of one rate together; nil: unknown.
public struct LoadFigures: FilledRecord, Equatable {
  public var achievedPerSecond: Double?
  public var p50Nanoseconds: Int?
  public var p90Nanoseconds: Int?
  public var p99Nanoseconds: Int?
  public var p999Nanoseconds: Int?
  public var p9999Nanoseconds: Int?
  public var maxNanoseconds: Int?
  public var latenessP50Nanoseconds: Int?
  public var latenessP99Nanoseconds: Int?
  public var latenessMaxNanoseconds: Int?
  public var heldUpP99Nanoseconds: Int?
  public var processShare: Double?
  public var machineShare: Double?
  public var othersShare: Double?

  public init() {}
}

extension LoadFigures {
  /// All but what was achieved, which means something else of one window than of several.
  static let columns: [Column<LoadFigures>] = [
    Column(
      "p50_ns", \.p50Nanoseconds, unit: "ns",
      "Median latency: from the moment at which a post was due to its completion, at most 1/128 above the exact one, as the next. Posts that were given up count with the time they had waited. Empty with fewer than 20 posts: less than 10 would lie beyond it."
    ),
    Column(
      "p90_ns", \.p90Nanoseconds, unit: "ns",
      "90th percentile. Empty with fewer than 100 posts: less than 10 would lie beyond it."),
    Column(
      "p99_ns", \.p99Nanoseconds, unit: "ns",
      "99th percentile. Empty with fewer than 1 000 posts: less than 10 would lie beyond it."),
    Column(
      "p99_9_ns", \.p999Nanoseconds, unit: "ns",
      "99.9th percentile. Empty with fewer than 10 000 posts: less than 10 would lie beyond it."),
    Column(
      "p99_99_ns", \.p9999Nanoseconds, unit: "ns",
      "99.99th percentile. Empty with fewer than 100 000 posts: less than 10 would lie beyond it."),
    Column("max_ns", \.maxNanoseconds, unit: "ns", "The longest, exactly."),
    Column(
      "lateness_p50_ns", \.latenessP50Nanoseconds, unit: "ns",
      "How much later than due the harness started posts by its own fault: median. The time for which an earlier post's start had not returned is the contender's, and not in it."
    ),
    Column(
      "lateness_p99_ns", \.latenessP99Nanoseconds, unit: "ns",
      "Its 99th percentile, of however many posts."),
    Column("lateness_max_ns", \.latenessMaxNanoseconds, unit: "ns", "The most."),
    Column(
      "held_up_p99_ns", \.heldUpP99Nanoseconds, unit: "ns",
      "99th percentile of how much later posts were started because the contender's start of an earlier one had not returned."
    ),
    Column(
      "process_cpu_share", \.processShare, unit: "share",
      "Processor time of the worker ÷ that of all processors, from 0 to 1. Empty where the kernel does not say."
    ),
    Column(
      "machine_cpu_share", \.machineShare, unit: "share",
      "The same of everything that ran, the worker included."),
    Column(
      "others_cpu_share", \.othersShare, unit: "share",
      "The same of all other processes and of what the hypervisor gave away."),
  ]
}
