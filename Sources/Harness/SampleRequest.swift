import UploadScenario

/// What the parent asks of a worker: one sample of one scenario. One line of JSON on the worker's standard input.
public struct SampleRequest: Codable, Sendable, Hashable {
  /// What is to be learnt from the sample.
  public enum Purpose: String, Codable, Sendable {
    /// Times; nothing else runs in the worker.
    case time
    /// Counts that disturb what they count; the times of such a sample are worth nothing.
    case count
  }

  public var scenario: Scenario
  /// How many posts are published, one after another; the same for all contenders of a scenario.
  public var iterations: Int
  public var purpose: Purpose

  public init(scenario: Scenario, iterations: Int, purpose: Purpose = .time) {
    self.scenario = scenario
    self.iterations = iterations
    self.purpose = purpose
  }
}
