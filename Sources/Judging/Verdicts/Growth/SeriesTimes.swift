import Results
import Statistics

/// The times of every contender at every width of a series, as they were measured and as they are drawn again.
struct SeriesTimes {
  let series: Series
  let contenders: [String]
  /// By width, then by contender; nil where there is none that may be compared.
  private let cells: [[CellSamples?]]
  private let bootstrap: MedianBootstrap
  /// By width, then by contender.
  private let medians: [[Double?]]

  static let level = 0.95
  private static let seed: UInt64 = 1
  /// Draws from fewer turns than a single interval takes are all alike, and look certain.
  private static let fewestTurns = MedianInterval.smallestCount(level: level)

  init(_ series: Series, contenders: [String], cells known: [CellKey: CellSamples], resamples: Int) {
    let cells = series.scenarios.map { scenario in
      contenders.map { contender in
        known[series.key(contender, scenario.name)].flatMap { $0.isRankable ? $0 : nil }
      }
    }
    let turns = cells.map { row in
      Set(row.flatMap { $0.map { Array($0.wallNanosecondsByTurn.keys) } ?? [] }).ordered(by: \.sortKey)
    }
    let clusters = Set(turns.joined()).ordered(by: \.sortKey).map(\.process).unique()
    bootstrap = MedianBootstrap(
      zip(cells, turns).map { row, turns in
        let byCluster = turns.grouped(by: \.process)
        return MedianBootstrap.Group(
          turns: clusters.map { cluster in
            byCluster[cluster, default: []].map { turn in
              row.map { $0?.wallNanosecondsByTurn[turn].flatMap(Quantiles.median) }
            }
          }, setCount: contenders.count)
      }, resamples: resamples, seed: Self.seed)
    self.series = series
    self.contenders = contenders
    self.cells = cells
    medians = cells.map { $0.map { $0.flatMap { Quantiles.median(of: $0.wallNanoseconds) } } }
  }

  /// The widths at which a contender was measured, by their places in the series.
  func measuredWidths(of contender: Int) -> [Int] { medians.indices.filter { medians[$0][contender] != nil } }

  func fanOut(_ width: Int) -> Int { series.scenarios[width].fanOut }

  /// The medians of a contender at some widths.
  func points(of contender: Int, at widths: [Int]) -> [WidthTime] {
    points(medians, contender, widths) ?? []
  }

  func median(of contender: Int, at width: Int) -> Double? { medians[width][contender] }

  /// The interval of a number that follows from a contender's times at some widths.
  func interval(of contender: Int, at widths: [Int], _ value: ([WidthTime]) -> Double?) -> ClosedRange<
    Double
  >? {
    guard hasEnoughTurns([contender], at: widths) else { return nil }
    return bootstrap.interval(level: Self.level) { draw in points(draw, contender, widths).flatMap(value) }
  }

  /// The interval of a number that follows from the times of two.
  func interval(
    of first: Int, and second: Int, at widths: [Int], _ value: ([WidthTime], [WidthTime]) -> Double?
  ) -> ClosedRange<Double>? {
    guard hasEnoughTurns([first, second], at: widths) else { return nil }
    return bootstrap.interval(level: Self.level) { draw in
      guard let one = points(draw, first, widths), let other = points(draw, second, widths) else {
        return nil
      }
      return value(one, other)
    }
  }

  private func points(_ medians: [[Double?]], _ contender: Int, _ widths: [Int]) -> [WidthTime]? {
    let points = widths.compactMap { width in
      medians[width][contender].map { WidthTime(width: Double(fanOut(width)), time: $0) }
    }
    return points.count == widths.count ? points : nil
  }

  private func hasEnoughTurns(_ contenders: [Int], at widths: [Int]) -> Bool {
    widths.allSatisfy { width in
      contenders.allSatisfy { (cells[width][$0]?.wallNanosecondsByTurn.count ?? 0) >= Self.fewestTurns }
    }
  }
}

/// Scenarios of a run that differ in nothing but their fan-out.
struct Series {
  /// Their name with `N` for the fan-out.
  let name: String
  /// With rising fan-outs, all of 1 or more.
  let scenarios: [(fanOut: Int, name: String)]
  /// nil where there is no other machine to tell it from.
  var machine: String?

  /// Through two points goes any curve.
  static let fewestWidths = 3

  /// Those of the scenarios, in the order of their first ones.
  static func all(of scenarios: [(fanOut: Int, name: String)], machine: String? = nil) -> [Series] {
    let named = scenarios.compactMap { scenario in
      name(of: scenario.name, fanOut: scenario.fanOut).map { (series: $0, scenario: scenario) }
    }
    return named.map(\.series).unique().compactMap { name in
      let members = named.filter { $0.series == name }.map(\.scenario)
        .ordered { SortKey(numbers: [Double($0.fanOut)]) }
      return members.count < fewestWidths ? nil : Series(name: name, scenarios: members, machine: machine)
    }
  }

  func key(_ contender: String, _ scenario: String) -> CellKey {
    CellKey(contender: contender, scenario: scenario, machine: machine)
  }

  /// `publish-latency-N-reverse`; nil if the name does not say its fan-out, or that is 0.
  static func name(of scenario: String, fanOut: Int) -> String? {
    var parts = scenario.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard fanOut > 0, let index = parts.firstIndex(of: String(fanOut)) else { return nil }
    parts[index] = "N"
    return parts.joined(separator: "-")
  }
}
