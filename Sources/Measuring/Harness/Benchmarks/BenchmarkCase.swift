import Results

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

  package var columns: WorkloadColumns {
    WorkloadColumns(
      pattern: group, service: ownsProcess ? NoService.benchmark : NoService.operation, fanOut: units,
      payloadBytes: bytes / max(1, units))
  }

  /// A minute's work is measured, what hangs is given up.
  package var timeoutSeconds: Int { 90 + Self.spareTimeoutSeconds }
  /// The slowest runtimes need some ten microseconds a unit; who has a process to itself is given as many iterations as take
  /// milliseconds.
  package var timeoutSecondsPerIteration: Double { ownsProcess ? 0 : Double(units) / 10_000 }
  package var mostIterations: Int { 1 << 30 }
}
