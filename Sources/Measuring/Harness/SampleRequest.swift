package struct SampleRequest<Work: Workload>: WorkerRequest {
  package typealias Reply = SampleReply

  package var scenario: Work
  package var iterations: Int
  /// The number of untimed iterations before the timed ones, to fill the caches after another worker ran. `nil` means none.
  package var unmeasured: Int?
  package var purpose: SamplePurpose
  /// The timeout of one iteration. `nil` means one that no working contender reaches.
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

  /// Names that must not change, because workers of older builds read them.
  private enum CodingKeys: String, CodingKey {
    case scenario, iterations, unmeasured, purpose
    case timeoutNanoseconds = "patienceNanoseconds"
  }
}

/// What a sample measures. Raw values must not change, because workers of older builds read them.
package enum SamplePurpose: String, Codable, Sendable {
  case time
  /// Counts of allocations and threads, and the timer lag. Not timed, because counting makes work slower.
  case profile = "count"
  /// Allocations, objects, retains and releases only.
  case allocations = "tally"
  /// The maximum memory, in a new process.
  case memory

  var isCounted: Bool { self == .profile || self == .allocations }

  /// How often the work is repeated, each time with the whole timeout.
  var repetitions: Int {
    switch self {
    case .time, .allocations: 1
    case .memory: 2
    case .profile: 3
    }
  }

  /// The factor by which timeouts are longer, since counting makes work slower.
  var slowness: UInt64 { isCounted ? 10 : 1 }
}
