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
    /// The better figure.
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

  /// Ready-made ones.
  public static var microbenchmark: [Self] { [.wallClock, .throughput] }
  /// Ready-made ones.
  public static var `default`: [Self] {
    [.wallClock, .cpuTotal, .mallocCountTotal, .throughput, .instructions, .peakMemoryResident]
  }
  /// Ready-made ones.
  public static var extended: [Self] { Self.default + [.cpuUser, .memoryLeaked, .syscalls] }
  /// Ready-made ones.
  public static var memory: [Self] {
    [
      .peakMemoryResident, .peakMemoryResidentDelta, .peakMemoryVirtual, .mallocCountSmall,
      .mallocCountLarge, .mallocCountTotal, .memoryLeaked, .allocatedResidentMemory,
    ]
  }
  /// Ready-made ones.
  public static var arc: [Self] { [.objectAllocCount, .retainCount, .releaseCount, .retainReleaseDelta] }
  /// Ready-made ones.
  public static var system: [Self] {
    [.wallClock, .syscalls, .contextSwitches, .threads, .threadsRunning, .cpuSystem]
  }
  /// Ready-made ones.
  public static var disk: [Self] {
    [
      .readSyscalls, .writeSyscalls, .readBytesLogical, .writeBytesLogical, .readBytesPhysical,
      .writeBytesPhysical,
    ]
  }
  /// Ready-made ones.
  public static var all: [Self] {
    [.cpuUser, .cpuTotal, .throughput, .instructions] + memory + arc + system + disk
  }
}

extension [BenchmarkMetric] {
  /// Ready-made ones.
  public static var microbenchmark: Self { BenchmarkMetric.microbenchmark }
  /// Ready-made ones.
  public static var `default`: Self { BenchmarkMetric.default }
  /// Ready-made ones.
  public static var extended: Self { BenchmarkMetric.extended }
  /// Ready-made ones.
  public static var memory: Self { BenchmarkMetric.memory }
  /// Ready-made ones.
  public static var arc: Self { BenchmarkMetric.arc }
  /// Ready-made ones.
  public static var system: Self { BenchmarkMetric.system }
  /// Ready-made ones.
  public static var disk: Self { BenchmarkMetric.disk }
  /// Ready-made ones.
  public static var all: Self { BenchmarkMetric.all }
}
