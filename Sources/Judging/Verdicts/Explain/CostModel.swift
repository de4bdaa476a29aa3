import Foundation
import Results
import Statistics

/// What is counted of contenders and has a price of its own.
public enum PricedWork: String, Sendable, CaseIterable, Codable {
  /// Voluntary context switches.
  case threadSwitches = "thread switches"
  case allocations
  case retains

  var one: String { self == .threadSwitches ? "thread switch" : String(rawValue.dropLast()) }
}

/// Where the processor time goes that contenders take above what the service takes: so many thread switches, allocations and
/// retains at a price each, the contender's own work, and what neither explains.
///
/// Processor time, because it adds up; times on the clock overlap on several processors.
public struct CostModel: Sendable, Equatable {
  /// In nanoseconds, in the order of ``PricedWork/allCases``.
  public struct Price: Sendable, Equatable {
    public let work: PricedWork
    /// Of known work, before each generation, the median; nil: it was not measured.
    public let probed: Double?
    /// Of the least and of the most expensive generation.
    public let probedRange: ClosedRange<Double>?
    /// What fits the run's cells best.
    public let fitted: Double
    /// One standard error, by leaving out one cell after the other (the jackknife).
    public let fittedError: Double
  }

  /// What a contender does that is not counted, fitted over its cells.
  public struct OwnWork: Sendable, Equatable {
    public let perUploadNanoseconds: Double
    /// What a post takes however many uploads it has, such as to wake threads that sleep.
    public let perPostNanoseconds: Double
  }

  public let prices: [Price]
  /// By contender; none for one with too few cells to tell.
  public let ownWork: [String: OwnWork]
  /// In the order of the run.
  public let accounts: [CostAccount]

  /// Fewer cells of a contender do not tell its own work from what is left.
  static let fewestCells = 4
  /// The patterns by whose cells the model is judged: the service that answers at once was driven alone in them.
  public static let judgedPatterns = ["publish", "sequence", "zip"]
  /// What a good account leaves at most, as a share of the cell's overhead.
  public static let leastExplained = 0.85
}

/// The account of one cell, per upload.
public struct CostAccount: Sendable, Equatable {
  public let summary: CellSummary
  /// What `overheadNanoseconds` is above: the service, or the reference where the service was not measured alone.
  public let base: String
  /// Processor time above the base's: what is explained.
  public let overheadNanoseconds: Double
  /// How often above the base, in the order of ``PricedWork/allCases``.
  public let counts: [Double]
  /// At what price each, likewise.
  public let prices: [Double]
  /// nil: the contender has too few cells for it to be told from what is left.
  public let ownWorkNanoseconds: Double?
  /// The share that the account explains, if the cell had no say in it; nil as above.
  public let foretoldShare: Double?

  public var pricedNanoseconds: Double { zip(counts, prices).reduce(0) { $0 + $1.0 * $1.1 } }
  /// Below 0 where the account is too high.
  public var restNanoseconds: Double { overheadNanoseconds - pricedNanoseconds - (ownWorkNanoseconds ?? 0) }
  /// From 0 to 1: how much of the overhead is not left, nor too much.
  public var explainedShare: Double { Self.share(left: restNanoseconds, of: overheadNanoseconds) }
  /// The same of prices alone.
  public var pricedShare: Double {
    Self.share(left: overheadNanoseconds - pricedNanoseconds, of: overheadNanoseconds)
  }

  static func share(left: Double, of whole: Double) -> Double {
    whole == 0 ? 0 : max(0, 1 - abs(left) / abs(whole))
  }
}

extension CostModel {
  /// Of a run whose cells have counts and processor times; nil if too few have.
  public init?(_ analysis: RunAnalysis, _ environment: EnvironmentRecord) {
    // Every machine has prices of its own.
    guard analysis.scenarios.allSatisfy({ $0.place.machine == nil }) else { return nil }
    let cells = analysis.scenarios.flatMap { Cell.all(of: $0, environment.scenarios?[$0.name]) }
    guard cells.count >= Self.fewestCells else { return nil }
    let fit = Fit(cells)
    let probed = PricedWork.allCases.map { environment.prices(of: $0) }
    let free = fit.solve(known: [nil, nil, nil])
    let without = cells.indices.map {
      fit.solve(known: [nil, nil, nil], without: $0, start: free.coefficients).prices
    }
    let prices = PricedWork.allCases.enumerated().map { index, work in
      Price(
        work: work, probed: Quantiles.median(of: probed[index]),
        probedRange: probed[index].min().flatMap { low in probed[index].max().map { low...$0 } },
        fitted: free.prices[index], fittedError: Self.jackknife(without.map { $0[index] }))
    }
    let used: [Double?] = prices.map(\.probed).contains(nil) ? free.prices : prices.map(\.probed)
    let solution = fit.solve(known: used)
    self.prices = prices
    ownWork = solution.own
    accounts = cells.indices.map { index in
      let cell = cells[index]
      // With known prices own work is a matter of the group's own cells.
      let foretold = fit.solve(known: used, without: index, group: cell.group)
      return CostAccount(
        summary: cell.summary, base: cell.base, overheadNanoseconds: cell.overhead, counts: cell.counts,
        prices: solution.prices, ownWorkNanoseconds: solution.ownWork(of: cell),
        foretoldShare: foretold.ownWork(of: cell).map { own in
          let said = zip(cell.counts, foretold.prices).reduce(own) { $0 + $1.0 * $1.1 }
          return CostAccount.share(left: cell.overhead - said, of: cell.overhead)
        })
    }
  }

  /// The rows of accounts.csv.
  public var records: [AccountRecord] {
    accounts.map { account in
      let priced = zip(account.counts, account.prices).map(*)
      var record = AccountRecord()
      record.run = account.summary.run
      record.contender = account.summary.contender
      record.scenario = account.summary.scenario
      record.above = account.base
      record.overheadNanoseconds = account.overheadNanoseconds
      record.handOversNanoseconds = priced[0]
      record.allocationsNanoseconds = priced[1]
      record.retainsNanoseconds = priced[2]
      record.ownWorkNanoseconds = account.ownWorkNanoseconds
      record.restNanoseconds = account.restNanoseconds
      record.explainedShare = account.explainedShare
      record.foretoldShare = account.foretoldShare
      return record
    }
  }

  public func account(of contender: String, in scenario: String) -> CostAccount? {
    accounts.first { $0.summary.contender == contender && $0.summary.scenario == scenario }
  }

  /// Of the cells by which the model is judged, how many it explains well: by a measure of an account.
  public func explained(by share: (CostAccount) -> Double?) -> (well: Int, of: Int) {
    let judged = accounts.filter { Self.judgedPatterns.contains($0.summary.pattern) }
    return (judged.count { (share($0) ?? 0) >= Self.leastExplained }, judged.count)
  }

  private static func jackknife(_ values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    return ((count - 1) / count * values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }).squareRoot()
  }
}

extension EnvironmentRecord {
  fileprivate func prices(of work: PricedWork) -> [Double] {
    (workPrices ?? []).map {
      switch work {
      case .threadSwitches: $0.handOverNanoseconds
      case .allocations: $0.allocationNanoseconds
      case .retains: $0.retainNanoseconds
      }
    }
  }
}

extension CostModel {
  /// What is to be explained of one cell, per upload.
  struct Cell {
    let summary: CellSummary
    let base: String
    let overhead: Double
    let counts: [Double]
    /// Those whose own work is the same: a contender, where completions run in the same context and posts follow each other
    /// alike.
    let group: String

    /// Those of a scenario that can be explained: of posts on a service that answers at once, that come to be.
    static func all(of scenario: ScenarioReport, _ record: ScenarioRecord?) -> [Cell] {
      guard scenario.service == "instant", scenario.end == .post else { return [] }
      let summaries = scenario.cells.map(\.summary)
      let service = summaries.first { $0.contender == ExternalBaseline.service && counts(of: $0) != nil }
      guard let base = service ?? summaries.first(where: { $0.contender == $0.reference }),
        let least = counts(of: base)
      else { return [] }
      let marks = ["context", "overlap"].compactMap { name in
        record?.definition[name].map { " \(name) \($0)" }
      }
      return scenario.cells.compactMap { cell -> Cell? in
        let summary = cell.summary
        guard summary.contender != base.contender, !ExternalBaseline.contains(summary.contender),
          let counts = counts(of: summary),
          let overhead = service == nil
            ? cell.processor?.differenceNanoseconds.map({ $0 / Double(max(summary.fanOut, 1)) })
            : summary.cpuAboveServiceNanosecondsPerUpload
        else { return nil }
        return Cell(
          summary: summary, base: base.contender, overhead: overhead, counts: zip(counts, least).map(-),
          group: summary.contender + marks.joined())
      }
    }

    private static func counts(of summary: CellSummary) -> [Double]? {
      let counts = [
        summary.voluntarySwitchesPerUpload, summary.allocationsPerUpload, summary.retainsPerUpload,
      ].compactMap(\.self)
      return counts.count == PricedWork.allCases.count ? counts : nil
    }
  }

  /// Prices and own work by least squares of the relative errors: every cell counts alike.
  struct Fit {
    let cells: [Cell]
    let groups: [String]
    private let rows: [[Double]]
    private let weights: [Double]

    struct Solution {
      /// Of the columns that were fitted.
      let coefficients: [Double]
      let prices: [Double]
      let own: [String: OwnWork]

      func ownWork(of cell: Cell) -> Double? {
        own[cell.group].map {
          $0.perUploadNanoseconds + $0.perPostNanoseconds / Double(max(cell.summary.fanOut, 1))
        }
      }
    }

    init(_ cells: [Cell]) {
      self.cells = cells
      let groups = cells.map(\.group).unique().filter { group in
        cells.count { $0.group == group } >= CostModel.fewestCells
      }
      self.groups = groups
      rows = cells.map { cell in
        let own = groups.map { $0 == cell.group ? 1.0 : 0 }
        return cell.counts + own + own.map { $0 / Double(max(cell.summary.fanOut, 1)) }
      }
      // Of next to nothing a share says nothing.
      weights = cells.map { 1 / max(abs($0.overhead), 50) }
    }

    /// - Parameters:
    ///   - known: the prices that are known, in nanoseconds; the others are fitted.
    ///   - without: the cell that has no say.
    ///   - group: whose cells alone have one; nil: all.
    ///   - start: coefficients that are near.
    func solve(known: [Double?], without: Int? = nil, group: String? = nil, start: [Double]? = nil)
      -> Solution
    {
      let fitted = rows[0].indices.filter { $0 >= known.count || known[$0] == nil }
      let used = cells.indices.filter { $0 != without && (group == nil || cells[$0].group == group) }
      func paid(_ row: [Double]) -> Double {
        zip(known, row).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
      }
      let solved = NonnegativeLeastSquares(
        rows: used.map { index in fitted.map { rows[index][$0] } },
        right: used.map { cells[$0].overhead - paid(rows[$0]) }, weights: used.map { weights[$0] },
        start: start)
      var all = known.map { $0 ?? 0 } + [Double](repeating: 0, count: 2 * groups.count)
      // A group of one cell has no others to say anything.
      for (index, coefficient) in zip(fitted, solved.coefficients) { all[index] = coefficient }
      let own = Array(all[known.count...])
      return Solution(
        coefficients: solved.coefficients, prices: Array(all[..<known.count]),
        own: Dictionary(
          uniqueKeysWithValues: groups.indices.map {
            (
              groups[$0],
              OwnWork(perUploadNanoseconds: own[$0], perPostNanoseconds: own[groups.count + $0])
            )
          }))
    }
  }
}
