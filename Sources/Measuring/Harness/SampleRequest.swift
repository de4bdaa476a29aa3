package struct SampleRequest<Work: Workload>: WorkerRequest {
  package typealias Reply = SampleReply

  package var scenario: Work
  /// The number of times to do the work, one after another.
  package var iterations: Int
  /// The number of untimed iterations before the sample, since another worker may have used the caches. `nil` means none.
  package var unmeasured: Int?
  package var purpose: SamplePurpose
  /// The timeout of one iteration. `nil` means a limit that no working contender reaches.
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

  /// The names must not change, because workers of older builds know them.
  private enum CodingKeys: String, CodingKey {
    case scenario, iterations, unmeasured, purpose
    case timeoutNanoseconds = "patienceNanoseconds"
  }
}

/// The quantity that a sample measures. The raw values must not change, because workers of older builds know them.
package enum SamplePurpose: String, Codable, Sendable {
  /// Times. Nothing else runs in the worker.
  case time
  /// All counts. Counting disturbs the times.
  case profile = "count"
  /// Only allocations, objects, retains and releases.
  case allocations = "tally"
  /// The maximum memory, in a new process.
  case memory

  var isCounted: Bool { self == .profile || self == .allocations }

  /// The number of times a pass repeats the work. Each time has the whole timeout.
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
