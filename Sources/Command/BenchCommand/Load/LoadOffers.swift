import Harness
import Statistics
import UploadScenario

/// What a load run offers whom next: the rates that were asked for in turn, or what a search wants to know.
final class LoadOffers {
  private let options: LoadOptions
  private let now: () -> UInt64
  private var searches: [HarnessCell: LimitSearch] = [:]
  private var spentNanoseconds: [HarnessCell: UInt64] = [:]
  private var offeredAt: UInt64 = 0

  /// - Parameter now: a clock for the time that a search takes.
  init(_ options: LoadOptions, now: @escaping () -> UInt64) {
    self.options = options
    self.now = now
  }

  /// The windows of a run without a search, for each cell: in each round the same rate for all of them.
  private lazy var plan: [LoadOffer] = {
    let rates = options.rates.map { (rate: $0, count: Int(options.windowCount(at: $0))) }
    let passes = rates.map(\.count).max() ?? 0
    return (0..<passes).flatMap { pass in
      var generator = SeededGenerator(seed: SeededGenerator.value(seed: options.recording.seed, index: pass))
      return rates.filter { $0.count > pass }.shuffled(using: &generator).map {
        LoadOffer(
          postsPerSecond: $0.rate, windowNanoseconds: options.durationNanoseconds / UInt64($0.count))
      }
    }
  }()

  /// How many windows there will be in all; nil: a search does not know.
  var total: Int? {
    options.precision == nil
      ? plan.count * options.participants.values.reduce(0) { $0 + $1.count } : nil
  }

  func next(_ cell: HarnessCell, round: Int) -> LoadOffer? {
    guard let precision = options.precision else { return round < plan.count ? plan[round] : nil }
    let search = searches[cell] ?? LimitSearch(start: start, precision: precision, bounds: bounds)
    searches[cell] = search
    guard let rate = search.next else { return nil }
    let window = options.windowNanoseconds(at: rate)
    guard spentNanoseconds[cell, default: 0] + window <= options.durationNanoseconds else { return nil }
    offeredAt = now()
    return LoadOffer(postsPerSecond: rate, windowNanoseconds: window)
  }

  /// What the last window that was offered says.
  func record(_ finding: LimitSearch.Answer, _ window: TakenWindow) {
    spentNanoseconds[window.cell, default: 0] += now() - offeredAt
    searches[window.cell]?.record(finding, at: window.offer.postsPerSecond)
  }

  func search(of cell: HarnessCell) -> LimitSearch? { searches[cell] }

  private var bounds: ClosedRange<Double> { options.lowestRate...LoadOptions.rates.upperBound }

  /// As high as a window of the usual length allows without being lengthened.
  private var start: Double {
    options.rates.first ?? max(100, options.postsNeeded / (Double(options.windowNanoseconds) / 1e9))
  }
}
