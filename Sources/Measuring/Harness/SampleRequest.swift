/// What the parent asks of a worker: one sample of one scenario, which is whatever its
/// workload is. One line of JSON on the worker's standard input.
public struct SampleRequest<Work: Workload>: Codable, Sendable, Hashable {
  /// The work of which a sample is taken.
  public var scenario: Work
  /// How often the work is done, one after another; the same for all contenders of a scenario.
  public var iterations: Int
  /// What is to be learnt; it decides what else runs in the worker.
  public var purpose: SamplePurpose
  /// How long the work may take once before it is given up; nil: far longer than anything that works.
  public var patienceNanoseconds: UInt64?

  /// Asks for times, and waits far longer than anything that works takes, unless the last two say otherwise.
  public init(
    scenario: Work, iterations: Int, purpose: SamplePurpose = .time, patienceNanoseconds: UInt64? = nil
  ) {
    self.scenario = scenario
    self.iterations = iterations
    self.purpose = purpose
    self.patienceNanoseconds = patienceNanoseconds
  }
}

/// What is to be learnt from a sample.
public enum SamplePurpose: String, Codable, Sendable {
  /// Times; nothing else runs in the worker.
  case time
  /// Counts that disturb what they count; the times of such a sample are worth nothing.
  case count
  /// Of those only what the process itself counts: allocations, objects, retains and releases.
  case tally
  /// How much memory the work takes at its most, which only a fresh process can tell.
  case memory

  /// How often a pass does the work, each time as patiently.
  var performances: Int {
    switch self {
    case .time, .tally: 1
    case .memory: 2
    case .count: 3
    }
  }

  /// How many times as long a pass may take for its work to be counted.
  var slowness: UInt64 { self == .count || self == .tally ? 10 : 1 }
}

extension SampleRequest {
  /// How long the parent waits before it gives up the worker: longer than the worker takes to give up the work.
  var patienceSeconds: Int {
    guard let patience = patienceNanoseconds else {
      return scenario.patienceSeconds(iterations: iterations)
    }
    return 20 + purpose.performances * Int(patience * purpose.slowness / 1_000_000_000) + iterations / 10
  }
}
