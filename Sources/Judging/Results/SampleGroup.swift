/// The samples of one cell that count, for the columns of summary.csv that sum them up.
public struct SampleGroup: Sendable {
  let samples: [Sample]
  private let median: @Sendable ([Double]) -> Double?

  /// Of samples that were measured and not dropped.
  public init(_ samples: [Sample], median: @escaping @Sendable ([Double]) -> Double?) {
    self.samples = samples
    self.median = median
  }

  /// The median over the samples in which it is known.
  func median(_ value: (Sample) -> Double?) -> Double? { median(samples.compactMap(value)) }

  /// The median of what is counted in whole samples, per upload.
  func medianPerUpload(_ count: (Sample) -> Int?) -> Double? {
    median { $0.perUpload($0.perPost(count($0))) }
  }

  /// The most in any sample.
  func most(_ value: (Sample) -> Int?) -> Int? { samples.compactMap(value).max() }
}

extension Sample {
  /// What was counted in the whole sample, per post.
  package func perPost(_ count: Int?) -> Double? { count.map { Double($0) / Double(iterations) } }

  /// What is known per post, per upload. An empty post counts as one upload.
  func perUpload(_ value: Double?) -> Double? { value.map { $0 / Double(max(fanOut, 1)) } }

  package var wall: Double? { wallNanoseconds.map(Double.init) }

  var efficiency: Double? {
    guard let ideal = idealNanoseconds, let wall, ideal > 0, wall > 0 else { return nil }
    return Double(ideal) / wall
  }

  // Sums of doubles: what a file holds may be too much for one integer.

  package var cpuNanoseconds: Double? {
    guard let user = cpuUserNanoseconds, let system = cpuSystemNanoseconds else { return nil }
    return Double(user) + Double(system)
  }

  /// Context switches per post.
  package var switches: Double? {
    guard let voluntary = voluntarySwitches, let involuntary = involuntarySwitches else { return nil }
    return (Double(voluntary) + Double(involuntary)) / Double(iterations)
  }
}
