/// The mean of several means whose values share clusters, such as of scenarios that the same processes measured.
///
/// A cluster-robust variance: the error is that of each cluster's sum of contributions, but never less than that of the values alone.
public struct ClusteredMean: Sendable, Hashable {
  public let mean: Double
  /// nil if a part has fewer than two values.
  public let interval: ClosedRange<Double>?

  /// - Parameters:
  ///   - parts: the values of each mean with their clusters. Each mean is a ``TrimmedMean``, and all count alike.
  ///   - fewestClusters: fewer do not show how they differ, so the values alone count.
  /// - Returns: nil without values.
  public init?(of parts: [[(cluster: Int, value: Double)]], level: Double, fewestClusters: Int) {
    let parts = parts.filter { !$0.isEmpty }
    guard !parts.isEmpty else { return nil }
    let number = Double(parts.count)
    let means = parts.map { TrimmedMean(of: $0.map(\.value)) }
    mean = zip(parts, means).reduce(0) { $0 + ($1.1?.mean ?? $1.0[0].value) } / number
    let known = means.compactMap(\.self)
    guard known.count == parts.count else {
      interval = nil
      return
    }
    let within = known.reduce(0) { $0 + $1.standardError * $1.standardError } / (number * number)
    var pulls: [Int: Double] = [:]
    for part in parts {
      let values = TrimmedMean.pulledIn(part.map(\.value))
      let centre = values.reduce(0, +) / Double(values.count)
      for (place, value) in values.enumerated() {
        pulls[part[place].cluster, default: 0] += (value - centre) / (Double(values.count) * number)
      }
    }
    let clusters = Double(pulls.count)
    let areKnown = pulls.count >= fewestClusters
    // In order, so that sums of the same values are equal.
    let between = pulls.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value * $1.value } * clusters
    let error = max(within, areKnown ? between / (clusters - 1) : 0).squareRoot()
    let freedom = areKnown ? clusters - 1 : known.map(\.degreesOfFreedom).reduce(0, +)
    let reach = error > 0 ? error * StudentT(degreesOfFreedom: freedom).quantile(twoSided: 1 - level) : 0
    interval = mean - reach...mean + reach
  }
}
