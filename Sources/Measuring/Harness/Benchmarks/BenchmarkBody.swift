import Results

/// The closures that do a benchmark's work.
package struct BenchmarkBody {
  /// Does the work `iterations` times and measures it between `start` and `stop` of the meter. Returns an error text or `nil`.
  package typealias Perform = (_ iterations: Int, BenchmarkMeter) throws -> String?

  package let perform: Perform
  /// The same loop without the work, used to detect a body that the optimiser removed. `nil` disables the detection.
  package let idle: Perform?

  package init(idle: Perform? = nil, perform: @escaping Perform) {
    self.perform = perform
    self.idle = idle
  }

  /// Creates a body that must return `answer` in every iteration.
  package init(answer: Int, _ implementation: @escaping () throws -> Int) {
    self.init { iterations, meter in
      meter.start()
      defer { meter.stop() }
      for _ in 0..<iterations {
        let found = try implementation()
        if found != answer { return "answered \(found), expected \(answer)" }
      }
      return nil
    }
  }
}

/// A stopwatch that adds up the time between each `start` and `stop`, and the CPU time of all threads.
package final class BenchmarkMeter: @unchecked Sendable {
  // Invariant: calls of the meter never overlap, because the parts of a benchmark run one after another.
  private let clock: HarnessClock
  private let counts: Bool
  private var begin: (usage: ResourceUsage, nanoseconds: UInt64)?
  private(set) var usage = ResourceUsage()
  private(set) var nanoseconds: UInt64 = 0
  private(set) var parts = 0
  /// The number of iterations that were measured. `nil` means all that were requested.
  package var iterations: Int?
  private let birth: UInt64
  /// The time limit of a sample. It includes untimed work: making an iteration's input may take far longer than the iteration.
  private let longestNanoseconds: UInt64 = 250_000_000

  init(_ clock: HarnessClock, counts: Bool = false) {
    self.clock = clock
    self.counts = counts
    birth = clock.nanoseconds()
  }

  /// Whether the sample should end because it has taken too long, including untimed work.
  package var isLate: Bool { clock.nanoseconds() - birth > longestNanoseconds }

  /// The meter's own time: from `start` to an immediate `stop`. A sample of many timed parts subtracts it once for each part.
  static func emptyPart(_ clock: HarnessClock) -> (nanoseconds: UInt64, processorNanoseconds: UInt64) {
    let meters = (0..<100).map { _ in
      let meter = BenchmarkMeter(clock)
      meter.start()
      meter.stop()
      return meter
    }
    return (meters.map(\.nanoseconds).min()!, meters.map(\.usage.cpuNanoseconds).min()!)
  }

  package func start() {
    if begin != nil { return }
    if counts { Counters.go() }
    let usage = ResourceUsage.now()
    begin = (usage, clock.nanoseconds())
  }

  package func stop() {
    guard let begin else { return }
    let now = clock.nanoseconds()
    usage.add(since: begin.usage)
    nanoseconds += now - begin.nanoseconds
    parts += 1
    self.begin = nil
    // Counting stops after the times are read, because `pause` waits for work that is still running.
    if counts { Counters.pause() }
  }
}

/// A package's benchmark, or an operation of an asynchronous runtime, as work to measure.
package struct BenchmarkCase: Workload {
  package var name: String
  /// The name of the case's group in reports. Cases of several sizes form a series in one group.
  package var group: String
  package var summary: String
  /// The unit of work. Times are divided by the number of units. Example: `element`.
  package var unit: String
  package var units: Int
  /// The bytes that one iteration processes, or 0.
  package var bytes: Int
  package var showsMemory: Bool
  /// Whether each contender has a worker process for this case only, so that this case cannot affect others.
  package var ownsProcess: Bool

  package init(
    name: String, group: String, summary: String = "", unit: String = "iteration", units: Int = 1,
    bytes: Int = 0, showsMemory: Bool = false, ownsProcess: Bool = true
  ) {
    self.name = name
    self.group = group
    self.summary = summary
    self.unit = unit
    self.units = units
    self.bytes = bytes
    self.showsMemory = showsMemory
    self.ownsProcess = ownsProcess
  }

  package var fanOut: Int { units }

  package func describe(_ sample: inout Sample) {
    (sample.pattern, sample.payloadBytes) = (group, bytes / max(1, units))
    sample.service = ownsProcess ? NoService.benchmark : NoService.operation
  }

  package var mostIterations: Int { 1 << 30 }
}
