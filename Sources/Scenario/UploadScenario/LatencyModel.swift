import Foundation

/// The distribution of upload times on the `latency` service.
public enum LatencyModel: Sendable, Hashable, Codable {
  /// Every upload takes the same time.
  case fixed(nanoseconds: UInt64)
  /// Upload times have a log-normal distribution: `median × exp(sigma × normal)`.
  case logNormal(medianNanoseconds: UInt64, sigma: Double)
  /// Every upload takes `nanoseconds`, except that one in `every` takes `factor` times as long.
  case straggler(nanoseconds: UInt64, every: Int, factor: Double)

  func draw(using generator: inout SeededGenerator) -> UInt64 {
    switch self {
    case .fixed(let nanoseconds):
      return nanoseconds
    case .logNormal(let median, let sigma):
      // This is the Box–Muller method. 1 − u is never 0, so the logarithm is finite.
      let radius = (-2 * log(1 - generator.nextUnit())).squareRoot()
      let normal = radius * cos(2 * .pi * generator.nextUnit())
      return UInt64(Double(median) * exp(sigma * normal))
    case .straggler(let nanoseconds, let every, let factor):
      return generator.next() % UInt64(every) == 0 ? UInt64(Double(nanoseconds) * factor) : nanoseconds
    }
  }
}

/// The order in which a service completes uploads that all start at the same time.
public enum CompletionOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// The first media file completes first.
  case forward
  /// The last media file completes first.
  case reverse
  /// The order is drawn from the seed.
  case shuffled
}

/// The upload times of a post, the same for every contender.
public struct LatencyTrace: Sendable, Hashable {
  /// The time of each request, by ``Request/ledgerIndex``.
  public let uploadNanoseconds: [UInt64]
  /// The time that it takes to create the post.
  public let postNanoseconds: UInt64

  /// Creates a trace from the given times.
  public init(uploadNanoseconds: [UInt64], postNanoseconds: UInt64) {
    self.uploadNanoseconds = uploadNanoseconds
    self.postNanoseconds = postNanoseconds
  }

  /// Draws a trace. `bytesPerSecond` adds transfer times. An upload makes `lanes` consecutive requests, and `order` sorts the times
  /// of their first requests.
  public init(
    model: LatencyModel, order: CompletionOrder, byteCounts: [Int], lanes: Int = 1, bytesPerSecond: Double?,
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    var drawn = byteCounts.map { byteCount in
      let transfer = bytesPerSecond.map { UInt64(Double(byteCount) / $0 * 1e9) } ?? 0
      return model.draw(using: &generator) + transfer
    }
    let places = stride(from: 0, to: drawn.count, by: lanes)
    var first = places.map { drawn[$0] }
    switch order {
    case .forward: first.sort(by: <)
    case .reverse: first.sort(by: >)
    case .shuffled: break
    }
    for (place, nanoseconds) in zip(places, first) { drawn[place] = nanoseconds }
    self.init(uploadNanoseconds: drawn, postNanoseconds: model.draw(using: &generator))
  }

  /// The shortest possible time of any contender, without preparations and reads: the time to create the post, plus the time of the
  /// longest upload or of all uploads divided by the limit, whichever is longer (Graham, 1969).
  package func idealNanoseconds(in scenario: Scenario) -> UInt64 {
    func pairs() -> [(UInt64, UInt64)] {
      stride(from: 0, to: uploadNanoseconds.count, by: 2).map {
        (uploadNanoseconds[$0], uploadNanoseconds[$0 + 1])
      }
    }
    let uploads =
      switch scenario.pattern.requests {
      case .urlThenUpload: pairs().map { $0 + $1 }
      case .mirrors: pairs().map { min($0, scenario.hedgeDelay.unsignedNanoseconds + $1) }
      case .one, .attempts: uploadNanoseconds
      }
    let total = uploads.reduce(0, +)
    let width = UInt64(max(1, min(scenario.mostUnderWay ?? uploads.count, uploads.count)))
    return max(uploads.max() ?? 0, (total + width - 1) / width) + postNanoseconds
  }
}
