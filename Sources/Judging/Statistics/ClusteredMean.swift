/// The mean of several means whose values share clusters. Example: the means of scenarios that the same processes measured.
///
/// The variance is cluster-robust: it sums each cluster's contributions, but is never less than the variance of the values alone.
public struct ClusteredMean: Sendable, Hashable {
  public let mean: Double
  /// The confidence interval; `nil` if one of the means has fewer than two values.
  public let interval: ClosedRange<Double>?

  /// - Parameters:
  ///   - parts: for each mean, its values and the cluster of each value. Each mean is a ``TrimmedMean``, and all means have equal weight.
  ///   - fewestClusters: the fewest clusters whose differences can be estimated. With fewer clusters, differences between them are ignored.
  /// - Returns: `nil` if there are no values.
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
    // The values are added in the order of the clusters, so that equal values give exactly equal sums.
    let between = pulls.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value * $1.value } * clusters
    let error = max(within, areKnown ? between / (clusters - 1) : 0).squareRoot()
    let freedom = areKnown ? clusters - 1 : known.map(\.degreesOfFreedom).reduce(0, +)
    let reach = error > 0 ? error * StudentT(degreesOfFreedom: freedom).quantile(twoSided: 1 - level) : 0
    interval = mean - reach...mean + reach
  }
}
