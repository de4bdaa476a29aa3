package struct SampleRequest<Work: Workload>: WorkerRequest {
  package typealias Reply = SampleReply

  package var scenario: Work
  /// The number of times to do the work, one after another.
  package var iterations: Int
  /// The number of untimed iterations before the sample, which fill the caches after another worker ran. `nil` means none.
  package var unmeasured: Int?
  package var purpose: SamplePurpose
  /// The timeout of one iteration. `nil` means a timeout that no working contender reaches.
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

  /// These names must not change, because workers of older builds read them.
  private enum CodingKeys: String, CodingKey {
    case scenario, iterations, unmeasured, purpose
    case timeoutNanoseconds = "patienceNanoseconds"
  }
}

/// What a sample measures. The raw values must not change, because workers of older builds read them.
package enum SamplePurpose: String, Codable, Sendable {
  /// The times. Nothing else runs in the worker.
  case time
  /// All counts, in passes that are not timed because counting disturbs times.
  case profile = "count"
  /// Allocations, objects, retains and releases only.
  case allocations = "tally"
  /// The maximum memory, measured in a new process.
  case memory

  var isCounted: Bool { self == .profile || self == .allocations }

  /// The number of times that a pass repeats the work. Each repetition has the whole timeout.
  var repetitions: Int {
    switch self {
    case .time, .allocations: 1
    case .memory: 2
    case .profile: 3
    }
  }

  /// The factor by which timeouts grow while counting, since counting lengthens the work.
  var slowness: UInt64 { isCounted ? 10 : 1 }
}
