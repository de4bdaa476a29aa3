import Results

/// The work of a case, in this process.
package struct BenchmarkBody {
  /// Does the work `iterations` times, measured between `start` and `stop` of the meter; returns what is wrong with its result.
  package typealias Perform = (_ iterations: Int, BenchmarkMeter) throws -> String?

  package let perform: Perform
  /// The same without work, to find bodies that the optimiser has removed; nil: no such check.
  package let idle: Perform?

  package init(idle: Perform? = nil, perform: @escaping Perform) {
    self.perform = perform
    self.idle = idle
  }

  /// A body whose every iteration must return `answer`.
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

/// Measures the time between `start` and `stop`, over all threads; several such times add up. For one thread at a time.
package final class BenchmarkMeter: @unchecked Sendable {
  // Invariant: each call happens after the one before it, because a body's parts are ordered.
  private let clock: HarnessClock
  private let counts: Bool
  private var begin: (usage: ResourceUsage, nanoseconds: UInt64)?
  private(set) var usage = ResourceUsage()
  private(set) var nanoseconds: UInt64 = 0
  private(set) var parts = 0
  /// The number of measured iterations, if it is less than requested.
  package var iterations: Int?
  private let birth: UInt64
  /// Making an iteration's input may take far longer than the iteration.
  private let longestNanoseconds: UInt64 = 250_000_000

  init(_ clock: HarnessClock, counts: Bool = false) {
    self.clock = clock
    self.counts = counts
    birth = clock.nanoseconds()
  }

  /// Whether a sample has taken so long, untimed work included, that it should end.
  package var isLate: Bool { clock.nanoseconds() - birth > longestNanoseconds }

  /// The least time of an empty part, to be subtracted from many short ones.
  static func emptyPart(_ clock: HarnessClock) -> (nanoseconds: UInt64, processorNanoseconds: UInt64) {
    let meters = (0..<100).map { _ in
      let meter = BenchmarkMeter(clock)
      meter.start()
      meter.stop()
      return meter
    }
    return (meters.map(\.nanoseconds).min()!, meters.map(\.usage.cpuNanoseconds).min()!)
  }

  /// Does nothing while it runs.
  package func start() {
    if begin != nil { return }
    if counts { Counters.go() }
    let usage = ResourceUsage.now()
    begin = (usage, clock.nanoseconds())
  }

  /// Does nothing unless it runs.
  package func stop() {
    guard let begin else { return }
    let now = clock.nanoseconds()
    usage.add(since: begin.usage)
    nanoseconds += now - begin.nanoseconds
    parts += 1
    self.begin = nil
    // `pause` waits for work that is still running.
    if counts { Counters.pause() }
  }
}

/// A benchmark, or an operation of a runtime.
package struct BenchmarkCase: Workload {
  package var name: String
  /// Reports group by it; cases of several sizes are a series of one group.
  package var group: String
  /// The work in one line; may be empty.
  package var summary: String
  /// The unit of work, such as `element`: times are per unit.
  package var unit: String
  package var units: Int
  /// Bytes of one iteration; may be 0.
  package var bytes: Int
  /// Whether reports show its memory.
  package var showsMemory: Bool
  /// Whether its worker does nothing else, so that it cannot affect other cases.
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
