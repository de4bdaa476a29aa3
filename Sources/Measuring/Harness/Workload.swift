import Results

/// What samples are taken of: an upload scenario, an operation of a runtime, or anybody's benchmark.
package protocol Workload: Codable, Hashable, Sendable {
  /// Names it in every report; unique within a run.
  var name: String { get }
  /// Everything that makes it this one and no other, wherever it is measured; empty if that cannot be told.
  var definition: [String: String] { get }
  var columns: WorkloadColumns { get }
  /// How long the parent waits for one iteration before it gives up the worker, spare seconds for a busy machine included.
  ///
  /// Asked once for each cell, because it may have to make up a whole post to tell.
  var timeoutSeconds: Int { get }
  /// How much longer it waits for each iteration.
  var timeoutSecondsPerIteration: Double { get }
  var mostIterations: Int { get }
  /// Of a sample that is no cold one.
  var leastIterations: Int { get }
  /// Whether a contender has a worker for this alone.
  var ownsProcess: Bool { get }
  /// What one iteration is called in reports.
  static var iterationName: String { get }
  /// Whether the clock is read around every iteration, and not around a sample.
  static var timesEachIteration: Bool { get }
}

extension Workload {
  package var definition: [String: String] { (try? Definition.leaves(of: self)) ?? [:] }
  package var mostIterations: Int { 1_000 }
  package var leastIterations: Int { 1 }
  package var ownsProcess: Bool { false }
  package static var iterationName: String { "iteration" }
  package static var timesEachIteration: Bool { false }
  /// Whether it is known how much memory one time takes: with fewer uploads the pages of one process differ from the next one's by
  /// more than uploads take.
  package var hasMemory: Bool { columns.fanOut >= 1_000 }
  package var timeoutSecondsPerIteration: Double { 0.1 }
  /// How much of a timeout is there for a busy machine, and not for the work.
  static var spareTimeoutSeconds: Int { 30 }
}

/// The columns of a sample that describe its workload.
package struct WorkloadColumns: Sendable, Hashable {
  /// The shape of the work: a pattern, or a family of operations.
  package var pattern: String
  package var service: String
  /// How many uploads or operations there are each time: what times are divided by.
  package var fanOut: Int
  /// How many of those may be under way at once; nil: all.
  package var inFlightLimit: Int?
  /// The size of each; 0 where there are no bytes.
  package var payloadBytes: Int

  package init(
    pattern: String, service: String, fanOut: Int, inFlightLimit: Int? = nil, payloadBytes: Int = 0
  ) {
    self.pattern = pattern
    self.service = service
    self.fanOut = fanOut
    self.inFlightLimit = inFlightLimit
    self.payloadBytes = payloadBytes
  }
}
