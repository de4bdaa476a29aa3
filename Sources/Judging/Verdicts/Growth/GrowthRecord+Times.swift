import Foundation
import Results
import Statistics

extension GrowthRecord {
  static let linearExponents = 0.95...1.05
  /// Below this fan-out, fixed costs hide how time grows.
  private static let wideFanOut = 1_000
  private static let leastFanOutOfExponent = 10

  /// - Parameter cells: the contender's results by fan-out; `nil` for a fan-out without results.
  init(_ times: SeriesTimes, _ contender: Int, run: String, first: Sample, cells: [CellReport?]) {
    let widths = times.measuredWidths(of: contender)
    self.init()
    self.run = run
    self.contender = times.contenders[contender]
    series = times.series.name
    pattern = first.pattern
    service = first.service
    self.widths = widths.count
    inFlightLimit = first.inFlightLimit
    machine = times.series.machine
    leastFanOut = widths.first.map(times.fanOut)
    mostFanOut = widths.last.map(times.fanOut)
    judge(times, contender, widths, isChosen: first.service == NoService.benchmark)
    if let widest = widths.last, let cell = cells[widest] {
      nanosecondsPerUpload = cell.summary.nanosecondsPerUpload
      bytesPerUpload = cell.summary.bytesPerUpload
    }
    // If all samples of a fan-out were dropped, its time is unknown, but the contender did not fail there.
    let stopped = cells.indices.first { cells[$0].map { $0.summary.outcome != .measured } ?? false }
    stoppedAtFanOut = stopped.map(times.fanOut)
    stoppedBy = stopped.flatMap { cells[$0]?.explanation }
  }

  /// - Parameter isChosen: whether the user chose the fan-outs. If so, the fit uses all of them.
  private mutating func judge(_ times: SeriesTimes, _ contender: Int, _ widths: [Int], isChosen: Bool) {
    let wide = widths.filter { times.fanOut($0) >= Self.wideFanOut && !isChosen }
    let usual = widths.filter { isChosen || times.fanOut($0) >= Self.leastFanOutOfExponent }
    let judged = wide.count > 1 ? wide : usual
    guard judged.count > 1 else { return }
    exponent = PowerLaw.exponent(times.points(of: contender, at: judged))
    exponentFromFanOut = times.fanOut(judged[0])
    let interval = times.interval(of: contender, at: judged, PowerLaw.exponent)
    (exponentLow, exponentHigh) = (interval?.lowerBound, interval?.upperBound)
    verdict = GrowthVerdict(interval)
    judgeBend(times, contender, usual)
  }

  /// Finds the fan-out from which growth is superlinear: starts at the two largest, and goes to smaller ones while growth is superlinear.
  private mutating func judgeBend(_ times: SeriesTimes, _ contender: Int, _ widths: [Int]) {
    let widest = Array(widths.suffix(2))
    widestExponent = PowerLaw.exponent(times.points(of: contender, at: widest))
    let interval = times.interval(of: contender, at: widest, PowerLaw.exponent)
    (widestExponentLow, widestExponentHigh) = (interval?.lowerBound, interval?.upperBound)
    for (below, above) in zip(widths, widths.dropFirst()).reversed() {
      let slope = times.interval(of: contender, at: [below, above], PowerLaw.exponent)
      guard GrowthVerdict(slope) == .superlinear else { return }
      superlinearFromFanOut = times.fanOut(below)
    }
  }
}

extension GrowthVerdict {
  init(_ interval: ClosedRange<Double>?) {
    let linear = GrowthRecord.linearExponents
    switch interval {
    case let interval? where interval.lowerBound > linear.upperBound: self = .superlinear
    case let interval? where interval.upperBound < linear.lowerBound: self = .sublinear
    case let interval? where interval.clamped(to: linear) == interval: self = .linear
    default: self = .unresolved
    }
  }
}

/// The measured times of every contender at every fan-out of a series, and their bootstrap draws.
struct SeriesTimes {
  let series: Series
  let contenders: [String]
  /// The samples by fan-out, then by contender; `nil` for samples that cannot be compared, such as failures.
  private let cells: [[CellSamples?]]
  private let bootstrap: MedianBootstrap
  /// The median times by fan-out, then by contender.
  private let medians: [[Double?]]

  init(_ series: Series, contenders: [String], cells known: [CellKey: CellSamples], resamples: Int) {
    let cells = series.scenarios.map { scenario in
      contenders.map { contender in
        known[series.key(contender, scenario.name)].flatMap { $0.isRankable ? $0 : nil }
      }
    }
    let turns = cells.map { row in
      Set(row.flatMap { $0.map { $0.wallNanosecondsByTurn.keys } ?? [] }).sorted()
    }
    let clusters = Set(turns.joined()).sorted().map(\.process).unique()
    bootstrap = MedianBootstrap(
      zip(cells, turns).map { row, turns in
        let byCluster = turns.grouped(by: \.process)
        return MedianBootstrap.Group(
          turns: clusters.map { cluster in
            byCluster[cluster, default: []].map { turn in
              row.map { $0?.wallNanosecondsByTurn[turn].flatMap(Quantiles.median) }
            }
          }, setCount: contenders.count)
      }, resamples: resamples, seed: RankResampling.seed)
    self.series = series
    self.contenders = contenders
    self.cells = cells
    medians = cells.map { $0.map { $0.flatMap { Quantiles.median(of: $0.wallNanoseconds) } } }
  }

  /// The indices of the fan-outs at which a contender was measured.
  func measuredWidths(of contender: Int) -> [Int] { medians.indices.filter { medians[$0][contender] != nil } }

  func fanOut(_ width: Int) -> Int { series.scenarios[width].fanOut }

  func points(of contender: Int, at widths: [Int]) -> [WidthTime] { points(medians, contender, widths) ?? [] }

  func interval(of contender: Int, at widths: [Int], _ value: ([WidthTime]) -> Double?) -> ClosedRange<
    Double
  >? {
    guard hasEnoughTurns(contender, at: widths) else { return nil }
    return bootstrap.interval(level: Comparison.level) { draw in
      points(draw, contender, widths).flatMap(value)
    }
  }

  private func points(_ medians: [[Double?]], _ contender: Int, _ widths: [Int]) -> [WidthTime]? {
    let points = widths.compactMap { width in
      medians[width][contender].map { WidthTime(width: Double(fanOut(width)), time: $0) }
    }
    return points.count == widths.count ? points : nil
  }

  /// Whether each fan-out has enough rounds. Resampling fewer rounds would give similar values, and a falsely narrow interval.
  private func hasEnoughTurns(_ contender: Int, at widths: [Int]) -> Bool {
    widths.allSatisfy { (cells[$0][contender]?.wallNanosecondsByTurn.keys.count ?? 0) >= Looks.fewestValues }
  }
}

/// Scenarios that differ only in their fan-out (number of uploads).
struct Series {
  /// The scenarios' name with `N` in place of the fan-out.
  let name: String
  /// The scenarios by ascending fan-out, at least 1.
  let scenarios: [(fanOut: Int, name: String)]
  /// The machine's name; `nil` if the run has only one machine.
  var machine: String?

  /// The fewest fan-outs of a series. Two are not enough, because any curve fits two points.
  static let fewestWidths = 3
  /// The most fan-outs of a series. More of them would show little about the growth, but take longer to analyse.
  static let mostWidths = 50

  static func all(of scenarios: [(fanOut: Int, name: String)], machine: String? = nil) -> [Series] {
    let named = scenarios.compactMap { scenario in
      name(of: scenario.name, fanOut: scenario.fanOut).map { (series: $0, scenario: scenario) }
    }
    return named.map(\.series).unique().compactMap { name in
      let members = named.filter { $0.series == name }.map(\.scenario)
        .ordered { SortKey(numbers: [Double($0.fanOut)]) }
      return members.count < fewestWidths
        ? nil : Series(name: name, scenarios: thinned(members), machine: machine)
    }
  }

  /// Selects the first and the last fan-out, and fan-outs at about equal logarithmic steps between them.
  private static func thinned(_ all: [(fanOut: Int, name: String)]) -> [(fanOut: Int, name: String)] {
    guard all.count > mostWidths, let first = all.first, let last = all.last else { return all }
    let step = log(Double(last.fanOut) / Double(first.fanOut)) / Double(mostWidths - 1)
    let kept = (0..<mostWidths).compactMap { place in
      let width = Double(first.fanOut) * exp(step * Double(place))
      return all.indices.min { abs(Double(all[$0].fanOut) - width) < abs(Double(all[$1].fanOut) - width) }
    }
    return Set(kept).sorted().map { all[$0] }
  }

  func key(_ contender: String, _ scenario: String) -> CellKey {
    CellKey(contender: contender, scenario: scenario, machine: machine)
  }

  /// The name of the series, such as `publish-latency-N-reverse`; `nil` if the scenario's name lacks its fan-out, or the fan-out is 0.
  static func name(of scenario: String, fanOut: Int) -> String? {
    var parts = scenario.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard fanOut > 0, let index = parts.firstIndex(of: String(fanOut)) else { return nil }
    parts[index] = "N"
    return parts.joined(separator: "-")
  }
}
