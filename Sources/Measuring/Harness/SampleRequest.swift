/// What the parent asks of a worker: one sample of one scenario, which is whatever its workload is.
package struct SampleRequest<Work: Workload>: WorkerRequest {
  package typealias Reply = SampleReply

  package var scenario: Work
  /// How often the work is done, one after another; the same for all contenders of a scenario.
  package var iterations: Int
  /// How often it is done before, without being timed: another worker has used the caches meanwhile. nil: not at all.
  package var unmeasured: Int?
  /// What is to be learnt; it decides what else runs in the worker.
  package var purpose: SamplePurpose
  /// How long the work may take once before it is given up; nil: far longer than anything that works.
  package var timeoutNanoseconds: UInt64?

  package init(
    scenario: Work, iterations: Int, unmeasured: Int? = nil, purpose: SamplePurpose = .time,
    timeoutNanoseconds: UInt64? = nil
  ) {
    self.scenario = scenario
    self.iterations = iterations
    self.unmeasured = unmeasured
    self.purpose = purpose
    self.timeoutNanoseconds = timeoutNanoseconds
  }

  /// As workers of older builds know them.
  private enum CodingKeys: String, CodingKey {
    case scenario, iterations, unmeasured, purpose
    case timeoutNanoseconds = "patienceNanoseconds"
  }
}

/// What is to be learnt from a sample. Workers of older builds know the raw values.
package enum SamplePurpose: String, Codable, Sendable {
  /// Times; nothing else runs in the worker.
  case time
  /// Counts that disturb what they count; the times of such a sample are worth nothing.
  case profile = "count"
  /// Of those only what the process itself counts: allocations, objects, retains and releases.
  case allocations = "tally"
  /// How much memory the work takes at its most, which only a fresh process can tell.
  case memory

  var isCounted: Bool { self == .profile || self == .allocations }

  /// How often a pass repeats the work, each time with the whole timeout.
  var repetitions: Int {
    switch self {
    case .time, .allocations: 1
    case .memory: 2
    case .profile: 3
    }
  }

  /// How many times as long a pass may take for its work to be counted.
  var slowness: UInt64 { isCounted ? 10 : 1 }
}
