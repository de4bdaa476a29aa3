/// What the parent asks of a worker: one sample of one scenario, which is whatever its
/// workload is. One line of JSON on the worker's standard input.
public struct SampleRequest<Work: Workload>: Codable, Sendable, Hashable {
  public var scenario: Work
  /// How often the work is done, one after another; the same for all contenders of a scenario.
  public var iterations: Int
  public var purpose: SamplePurpose

  public init(scenario: Work, iterations: Int, purpose: SamplePurpose = .time) {
    self.scenario = scenario
    self.iterations = iterations
    self.purpose = purpose
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
}
