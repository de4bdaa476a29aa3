package struct SampleRequest<Work: Workload>: WorkerRequest {
  package typealias Reply = SampleReply

  package var scenario: Work
  /// How often the work is done, in sequence.
  package var iterations: Int
  /// How often it is done untimed before that, because another worker has used the caches; nil: never.
  package var unmeasured: Int?
  package var purpose: SamplePurpose
  /// How long one iteration may take; nil: a limit that no working contender reaches.
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

  /// Workers of older builds know these keys.
  private enum CodingKeys: String, CodingKey {
    case scenario, iterations, unmeasured, purpose
    case timeoutNanoseconds = "patienceNanoseconds"
  }
}

/// What a sample measures. Workers of older builds know the raw values.
package enum SamplePurpose: String, Codable, Sendable {
  /// Times; nothing else runs in the worker.
  case time
  /// All counts; they disturb the times.
  case profile = "count"
  /// Only the counts of the process itself: allocations, objects, retains and releases.
  case allocations = "tally"
  /// The peak of memory, in a new process.
  case memory

  var isCounted: Bool { self == .profile || self == .allocations }

  /// How often a pass repeats the work; each time has the whole timeout.
  var repetitions: Int {
    switch self {
    case .time, .allocations: 1
    case .memory: 2
    case .profile: 3
    }
  }

  /// The factor by which counting may lengthen the work.
  var slowness: UInt64 { isCounted ? 10 : 1 }
}
