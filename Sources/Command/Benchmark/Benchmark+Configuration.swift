extension Benchmark {
  /// What a benchmark is to do differently. The scaling factor, tags, `skip` and `setup` are followed; a run says which of the
  /// others are set and are not.
  public struct Configuration {
    /// What is looked at; this package measures the same of all.
    public var metrics: [BenchmarkMetric]
    /// What tells benchmarks of one name apart; part of the name.
    public var tags: [String: String]
    /// Not followed: reports find a unit.
    public var timeUnits: BenchmarkTimeUnits
    /// Not followed: reports find a unit.
    public var units: [BenchmarkMetric: BenchmarkUnits]
    /// Not followed: one pass.
    public var warmupIterations: Int
    /// How many of what is measured a pass has.
    public var scalingFactor: BenchmarkScalingFactor
    /// Not followed: `--budget` says it of the whole run.
    public var maxDuration: Duration
    /// Not followed: a sample is as many passes as take some milliseconds.
    public var maxIterations: Int
    /// Whether the benchmark is left out.
    public var skip: Bool
    /// Not followed: `check` decides.
    public var thresholds: [BenchmarkMetric: BenchmarkThresholds]?
    /// Done before the benchmark's own.
    public var setup: BenchmarkSetupHook?
    /// Not done: processes that measure are ended.
    public var teardown: BenchmarkTeardownHook?

    /// What is not given is as in `defaultConfiguration`.
    public init(
      metrics: [BenchmarkMetric] = defaultConfiguration.metrics,
      tags: [String: String] = defaultConfiguration.tags,
      timeUnits: BenchmarkTimeUnits = defaultConfiguration.timeUnits,
      units: [BenchmarkMetric: BenchmarkUnits] = defaultConfiguration.units,
      warmupIterations: Int = defaultConfiguration.warmupIterations,
      scalingFactor: BenchmarkScalingFactor = defaultConfiguration.scalingFactor,
      maxDuration: Duration = defaultConfiguration.maxDuration,
      maxIterations: Int = defaultConfiguration.maxIterations,
      skip: Bool = defaultConfiguration.skip,
      thresholds: [BenchmarkMetric: BenchmarkThresholds]? = defaultConfiguration.thresholds,
      setup: BenchmarkSetupHook? = nil, teardown: BenchmarkTeardownHook? = nil
    ) {
      (self.metrics, self.tags, self.timeUnits, self.units) = (metrics, tags, timeUnits, units)
      (self.warmupIterations, self.scalingFactor) = (warmupIterations, scalingFactor)
      (self.maxDuration, self.maxIterations, self.skip) = (maxDuration, maxIterations, skip)
      (self.thresholds, self.setup, self.teardown) = (thresholds, setup, teardown)
    }

    /// That of package-benchmark.
    static var usual: Self {
      Self(
        metrics: .default, tags: [:], timeUnits: .automatic, units: [:], warmupIterations: 1,
        scalingFactor: .one, maxDuration: .seconds(1), maxIterations: 10_000, skip: false, thresholds: nil)
    }

    /// The settings that differ from package-benchmark's and are not followed, as they are spelled.
    var unfollowed: [String] {
      let usual = Self.usual
      let settings = [
        ("maxDuration", maxDuration != usual.maxDuration),
        ("maxIterations", maxIterations != usual.maxIterations),
        ("warmupIterations", warmupIterations != usual.warmupIterations),
        ("timeUnits", timeUnits != usual.timeUnits), ("units", !units.isEmpty),
        ("thresholds", !(thresholds ?? [:]).isEmpty),
      ]
      // What every benchmark has in package-benchmark is nobody's wish.
      let unknown = metrics.filter { !$0.isMeasured && !usual.metrics.contains($0) }
      return settings.filter(\.1).map(\.0) + unknown.map(\.spelling)
    }
  }
}

/// How many of what is measured a pass has.
public enum BenchmarkScalingFactor: Int, Sendable {
  /// So many.
  case one = 1
  case kilo = 1_000
  case mega = 1_000_000
  case giga = 1_000_000_000
  case tera = 1_000_000_000_000
  case peta = 1_000_000_000_000_000
}

/// What times would be shown in.
public enum BenchmarkTimeUnits: String, Sendable, CaseIterable {
  case nanoseconds, microseconds, milliseconds, seconds, kiloseconds, megaseconds, automatic
}

/// What counts would be shown in.
public enum BenchmarkUnits: Sendable, CaseIterable {
  case count, kilo, mega, giga, tera, peta, automatic
}

/// What package-benchmark would allow a figure to grow by.
public struct BenchmarkThresholds: Sendable {
  /// Per cent.
  public typealias RelativeThreshold = Double
  /// In the figure's unit.
  public typealias AbsoluteThreshold = Int
  /// By percentile.
  public typealias RelativeThresholds = [BenchmarkResult.Percentile: RelativeThreshold]
  /// By percentile.
  public typealias AbsoluteThresholds = [BenchmarkResult.Percentile: AbsoluteThreshold]

  /// In per cent.
  public let relative: RelativeThresholds
  /// In the figure's unit.
  public let absolute: AbsoluteThresholds

  public init(relative: RelativeThresholds = [:], absolute: AbsoluteThresholds = [:]) {
    (self.relative, self.absolute) = (relative, absolute)
  }

  public static var strict: Self { Self(relative: Relative.strict, absolute: Absolute.strict) }
  public static var `default`: Self { Self(relative: Relative.default) }
  public static var relaxed: Self { Self(relative: Relative.relaxed, absolute: Absolute.relaxed) }
  /// No threshold.
  public static var none: Self { Self() }

  /// Ready-made ones in per cent.
  public enum Relative {
    /// No growth.
    public static var strict: RelativeThresholds { [.p25: 0, .p50: 0, .p75: 0, .p90: 0, .p99: 0] }
    /// 5 %.
    public static var `default`: RelativeThresholds { [.p25: 5, .p50: 5, .p75: 5] }
    /// 25 %.
    public static var relaxed: RelativeThresholds { [.p50: 25] }
    /// No threshold.
    public static var none: RelativeThresholds { [:] }
  }

  /// Ready-made ones in the figure's unit.
  public enum Absolute {
    /// No growth.
    public static var strict: AbsoluteThresholds {
      [.p0: 0, .p25: 0, .p50: 0, .p75: 0, .p90: 0, .p99: 0]
    }
    /// No threshold.
    public static var `default`: AbsoluteThresholds { [:] }
    /// So much that it is hardly one.
    public static var relaxed: AbsoluteThresholds { [.p50: 10_000, .p90: 10_000, .p100: 10_000] }
    /// No threshold.
    public static var none: AbsoluteThresholds { [:] }
  }
}

/// Where package-benchmark keeps its percentiles.
public enum BenchmarkResult {
  /// A percentile that a threshold is of.
  public enum Percentile: Int, Sendable {
    case p0, p25, p50, p75, p90, p99, p100
  }
}

extension Int {
  public static func count(_ value: Int) -> Int { value }
  public static func kilo(_ value: Int) -> Int { value * 1_000 }
  public static func mega(_ value: Int) -> Int { value * 1_000_000 }
  public static func giga(_ value: Int) -> Int { value * 1_000_000_000 }
}

/// A figure that package-benchmark takes of a benchmark.
public enum BenchmarkMetric: Hashable, Sendable {
  /// Measured here, too.
  case cpuUser, cpuSystem, cpuTotal, wallClock, throughput, mallocCountTotal, contextSwitches, threads
  /// Measured here, too.
  case peakMemoryResident, objectAllocCount, retainCount, releaseCount
  /// Not measured here.
  case peakMemoryResidentDelta, peakMemoryVirtual, mallocCountSmall, mallocCountLarge, memoryLeaked
  /// Not measured here.
  case allocatedResidentMemory, syscalls, threadsRunning, instructions, retainReleaseDelta
  /// Not measured here.
  case readSyscalls, writeSyscalls, readBytesLogical, writeBytesLogical, readBytesPhysical
  /// Not measured here.
  case writeBytesPhysical
  /// A benchmark's own figure; not recorded here.
  case custom(_ name: String, polarity: Polarity = .prefersSmaller, useScalingFactor: Bool = true)

  /// Which of two figures is better.
  public enum Polarity: Sendable {
    case prefersLarger, prefersSmaller
  }

  /// For people.
  var spelling: String {
    if case .custom(let name, _, _) = self { "custom metric “\(name)”" } else { "metric \(self)" }
  }

  var isMeasured: Bool {
    switch self {
    case .cpuUser, .cpuSystem, .cpuTotal, .wallClock, .throughput, .mallocCountTotal, .contextSwitches,
      .threads, .peakMemoryResident, .objectAllocCount, .retainCount, .releaseCount:
      true
    default: false
    }
  }

  // MARK: Ready-made ones

  public static var microbenchmark: [Self] { [.wallClock, .throughput] }
  public static var `default`: [Self] {
    [.wallClock, .cpuTotal, .mallocCountTotal, .throughput, .instructions, .peakMemoryResident]
  }
  public static var extended: [Self] { Self.default + [.cpuUser, .memoryLeaked, .syscalls] }
  public static var memory: [Self] {
    [
      .peakMemoryResident, .peakMemoryResidentDelta, .peakMemoryVirtual, .mallocCountSmall,
      .mallocCountLarge, .mallocCountTotal, .memoryLeaked, .allocatedResidentMemory,
    ]
  }
  public static var arc: [Self] { [.objectAllocCount, .retainCount, .releaseCount, .retainReleaseDelta] }
  public static var system: [Self] {
    [.wallClock, .syscalls, .contextSwitches, .threads, .threadsRunning, .cpuSystem]
  }
  public static var disk: [Self] {
    [
      .readSyscalls, .writeSyscalls, .readBytesLogical, .writeBytesLogical, .readBytesPhysical,
      .writeBytesPhysical,
    ]
  }
  public static var all: [Self] {
    [.cpuUser, .cpuTotal, .throughput, .instructions] + memory + arc + system + disk
  }
}

/// Ready-made ones.
extension [BenchmarkMetric] {
  public static var microbenchmark: Self { BenchmarkMetric.microbenchmark }
  public static var `default`: Self { BenchmarkMetric.default }
  public static var extended: Self { BenchmarkMetric.extended }
  public static var memory: Self { BenchmarkMetric.memory }
  public static var arc: Self { BenchmarkMetric.arc }
  public static var system: Self { BenchmarkMetric.system }
  public static var disk: Self { BenchmarkMetric.disk }
  public static var all: Self { BenchmarkMetric.all }
}
