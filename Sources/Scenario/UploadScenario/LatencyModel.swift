import Foundation

/// How long uploads take on the `latency` service, as data.
public enum LatencyModel: Sendable, Hashable, Codable {
  /// Every upload takes the same time.
  case fixed(nanoseconds: UInt64)
  /// A heavy tail around a median: `median × exp(sigma × normal)`.
  case logNormal(medianNanoseconds: UInt64, sigma: Double)
  /// Every upload takes `nanoseconds`, but one in `every` takes `factor` times as long.
  case straggler(nanoseconds: UInt64, every: Int, factor: Double)

  func draw(using generator: inout SeededGenerator) -> UInt64 {
    switch self {
    case .fixed(let nanoseconds):
      return nanoseconds
    case .logNormal(let median, let sigma):
      // Box–Muller; 1 − u keeps the logarithm finite.
      let radius = (-2 * log(1 - generator.nextUnit())).squareRoot()
      let normal = radius * cos(2 * .pi * generator.nextUnit())
      return UInt64(Double(median) * exp(sigma * normal))
    case .straggler(let nanoseconds, let every, let factor):
      return generator.next() % UInt64(every) == 0 ? UInt64(Double(nanoseconds) * factor) : nanoseconds
    }
  }
}

/// The order in which a service completes uploads that all start at once.
public enum CompletionOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// First media first.
  case forward
  /// Last media first.
  case reverse
  /// As drawn from the seed.
  case shuffled
}

/// How long each upload of one post takes: the same for every contender that is given the same scenario.
public struct LatencyTrace: Sendable, Hashable {
  /// One per request, by its place in the ledger.
  public let uploadNanoseconds: [UInt64]
  /// How long creating the post takes, after the last upload.
  public let postNanoseconds: UInt64

  /// A trace that was not drawn; one entry per request, by its place in the ledger.
  public init(uploadNanoseconds: [UInt64], postNanoseconds: UInt64) {
    self.uploadNanoseconds = uploadNanoseconds
    self.postNanoseconds = postNanoseconds
  }

  /// Draws a trace; `bytesPerSecond` adds the transfer time of each one's bytes before the order is laid down.
  ///
  /// Requests for the same upload take turns in `lanes`; the order is that of the first lane.
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
}

extension LatencyTrace {
  /// The least time that any contender could take, the post included; preparations and reads count as nothing.
  ///
  /// No schedule of a fan-out beats its longest upload, nor the sum of all uploads spread evenly over those that may be in
  /// flight (Graham, 1969).
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
