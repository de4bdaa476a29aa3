/// How the work of a case is done, in this process.
package struct BenchmarkBody {
  /// Does the work so often; returns what was wrong with its result, nil if nothing was.
  ///
  /// What is measured lies between `start` and `stop` of the meter.
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

/// Measures what lies between `start` and `stop`, over all threads; several such times add up.
///
/// For one thread at a time: a body that goes on elsewhere hands it over.
package final class BenchmarkMeter: @unchecked Sendable {
  // Invariant: whoever calls has happened after the call before, because a body's parts do.
  private let clock: HarnessClock
  private let counts: Bool
  private var begin: (usage: ResourceUsage, nanoseconds: UInt64)?
  private(set) var usage = ResourceUsage()
  private(set) var nanoseconds: UInt64 = 0
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

  /// Nothing if it runs.
  package func start() {
    if begin != nil { return }
    if counts { Counters.go() }
    let usage = ResourceUsage.now()
    begin = (usage, clock.nanoseconds())
  }

  /// Starts here, and forgets what has run since `start` if it does run.
  package func restart() {
    begin = nil
    start()
  }

  /// Nothing if it does not run.
  package func stop() {
    guard let begin else { return }
    let now = clock.nanoseconds()
    usage.add(since: begin.usage)
    nanoseconds += now - begin.nanoseconds
    self.begin = nil
    // Whatever was under way is over before counting ends.
    if counts { Counters.pause() }
  }
}
