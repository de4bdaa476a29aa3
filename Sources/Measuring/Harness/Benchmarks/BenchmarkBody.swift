import Results

/// How the work of a case is done, in this process.
package struct BenchmarkBody {
  /// Does the work so often, measured between `start` and `stop` of the meter; returns what was wrong with its result.
  package typealias Perform = (_ iterations: Int, BenchmarkMeter) throws -> String?

  package let perform: Perform
  /// The same of no work: a body that takes no longer has none left; nil: nobody asks.
  package let idle: Perform?

  package init(idle: Perform? = nil, perform: @escaping Perform) {
    self.perform = perform
    self.idle = idle
  }

  /// One that answers a number each time.
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

/// Measures what lies between `start` and `stop`, over all threads; several such times add up. For one thread at a time.
package final class BenchmarkMeter: @unchecked Sendable {
  // Invariant: whoever calls has happened after the call before, because a body's parts do.
  private let clock: HarnessClock
  private let counts: Bool
  private var begin: (usage: ResourceUsage, nanoseconds: UInt64)?
  private(set) var usage = ResourceUsage()
  private(set) var nanoseconds: UInt64 = 0
  private(set) var parts = 0
  /// How many iterations were measured, where they are fewer than were asked for.
  package var iterations: Int?
  private let birth: UInt64
  /// What is made for each iteration may take far longer than the iteration.
  private let longestNanoseconds: UInt64 = 250_000_000

  init(_ clock: HarnessClock, counts: Bool = false) {
    self.clock = clock
    self.counts = counts
    birth = clock.nanoseconds()
  }

  /// Whether a sample has taken so long, with what is not measured, that it ends with the iterations that it has.
  package var isLate: Bool { clock.nanoseconds() - birth > longestNanoseconds }

  /// The least that a part without work seems to take, for the sum of many short ones.
  static func emptyPart(_ clock: HarnessClock) -> (nanoseconds: UInt64, processorNanoseconds: UInt64) {
    let meters = (0..<100).map { _ in
      let meter = BenchmarkMeter(clock)
      meter.start()
      meter.stop()
      return meter
    }
    return (meters.map(\.nanoseconds).min()!, meters.map(\.usage.cpuNanoseconds).min()!)
  }

  /// Nothing if it runs.
  package func start() {
    if begin != nil { return }
    if counts { Counters.go() }
    let usage = ResourceUsage.now()
    begin = (usage, clock.nanoseconds())
  }

  /// Nothing if it does not run.
  package func stop() {
    guard let begin else { return }
    let now = clock.nanoseconds()
    usage.add(since: begin.usage)
    nanoseconds += now - begin.nanoseconds
    parts += 1
    self.begin = nil
    // Whatever was under way is over before counting ends.
    if counts { Counters.pause() }
  }
}

/// A piece of work that has a name, whoever does it: a benchmark of anybody's, or an operation of a runtime.
package struct BenchmarkCase: Workload {
  package var name: String
  /// Reports group by it, and what grows is a series of it.
  package var group: String
  /// The job in one line; empty if the name says it.
  package var summary: String
  /// What is counted, such as `element`: times are per unit.
  package var unit: String
  /// How many of them one iteration has.
  package var units: Int
  /// What one iteration gets through; 0 where there are no bytes.
  package var bytes: Int
  /// Whether memory is among its figures.
  package var showsMemory: Bool
  /// Whether its worker does nothing else, so that whatever it does to the process is done to no other.
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
