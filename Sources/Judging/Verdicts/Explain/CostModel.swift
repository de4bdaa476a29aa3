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

  /// For an upload.
  func count(in summary: CellSummary) -> Double? {
    switch self {
    case .threadSwitches: summary.voluntarySwitchesPerUpload
    case .allocations: summary.allocationsPerUpload
    case .retains: summary.retainsPerUpload
    }
  }

  fileprivate func price(in record: WorkPriceRecord) -> Double {
    switch self {
    case .threadSwitches: record.handOverNanoseconds
    case .allocations: record.allocationNanoseconds
    case .retains: record.retainNanoseconds
    }
  }
}

/// Where the processor time goes that contenders take above what the service takes: so many thread switches, allocations
/// and retains at a price each, the contender's own work, and what neither explains.
///
/// Processor time, because it adds up; times on the clock overlap on several processors.
public struct CostModel: Sendable {
  /// Of known work, in nanoseconds.
  public struct Price: Sendable, Equatable {
    public let work: PricedWork
    /// The median of what was measured before each generation.
    public let nanoseconds: Double
    /// Of the least and of the most expensive generation.
    public let range: ClosedRange<Double>
  }

  /// What a contender does that is not counted, fitted over its cells.
  public struct OwnWork: Sendable, Equatable {
    public let perUploadNanoseconds: Double
    /// What a post takes however many uploads it has, such as to wake threads that sleep.
    public let perPostNanoseconds: Double

    func nanoseconds(perUploadOf cell: CostModel.Cell) -> Double {
      perUploadNanoseconds + perPostNanoseconds / cell.uploads
    }
  }

  public let prices: [Price]
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
public struct CostAccount: Sendable {
  public let summary: CellSummary
  /// What `overheadNanoseconds` is above: the service, or the reference where the service was not measured alone.
  public let base: String
  /// Processor time above the base's: what is explained.
  public let overheadNanoseconds: Double
  /// 95 % interval of that; nil above the reference, and of few rounds.
  public let interval: ClosedRange<Double>?
  /// How often above the base, and at what price each.
  public let counted: [(work: PricedWork, count: Double, price: Double)]
  /// nil: the contender has too few cells for it to be told from what is left.
  public let ownWorkNanoseconds: Double?
  /// What it would be if the cell had no say in it; nil as above.
  public let foretoldNanoseconds: Double?

  /// At their prices.
  public var pricedNanoseconds: Double { counted.reduce(0) { $0 + $1.count * $1.price } }
  /// Below 0 where the account is too high.
  public var restNanoseconds: Double { overheadNanoseconds - pricedNanoseconds - (ownWorkNanoseconds ?? 0) }
  /// From 0 to 1: how much of the overhead is not left, nor too much.
  public var explainedShare: Double { share(left: restNanoseconds) }
  /// The same of prices alone.
  public var pricedShare: Double { share(left: overheadNanoseconds - pricedNanoseconds) }
  /// The same of an account in whose own work the cell had no say; nil as above.
  public var foretoldShare: Double? {
    foretoldNanoseconds.map { share(left: overheadNanoseconds - pricedNanoseconds - $0) }
  }

  /// Whether it explains ``CostModel/leastExplained`` of the overhead, or all of it as far as that is known: its sum lies in the interval.
  public var isBorneOut: Bool {
    explainedShare >= CostModel.leastExplained
      || interval?.contains(overheadNanoseconds - restNanoseconds) ?? false
  }

  private func share(left: Double) -> Double {
    overheadNanoseconds == 0 ? 0 : max(0, 1 - abs(left) / abs(overheadNanoseconds))
  }
}

extension CostModel {
  /// Of a run whose cells have counts and processor times, and whose prices were measured; nil if too few have.
  public init?(_ analysis: RunAnalysis, _ environment: EnvironmentRecord) {
    // Every machine has prices of its own.
    guard analysis.scenarios.allSatisfy({ $0.place.machine == nil }) else { return nil }
    let cells = analysis.scenarios.flatMap { Cell.all(of: $0, environment.scenarios?[$0.name]) }
    guard let measured = environment.workPrices, !measured.isEmpty, cells.count >= Self.fewestCells else {
      return nil
    }
    let prices = PricedWork.allCases.map { work in
      let all = measured.map(work.price)
      return Price(work: work, nanoseconds: Quantiles.median(of: all)!, range: all.min()!...all.max()!)
    }
    self.prices = prices
    func left(_ cell: Cell) -> Double {
      prices.reduce(cell.overhead) { $0 - $1.nanoseconds * cell.count(of: $1.work) }
    }
    let groups = cells.grouped { $0.group }
    accounts = cells.map { cell in
      let all = groups[cell.group] ?? []
      let others = all.filter { $0.summary.scenario != cell.summary.scenario }
      let own = all.count < Self.fewestCells ? nil : OwnWork(of: all, left: left)
      return CostAccount(
        summary: cell.summary, base: cell.base, overheadNanoseconds: cell.overhead, interval: cell.interval,
        counted: prices.map { ($0.work, cell.count(of: $0.work), $0.nanoseconds) },
        ownWorkNanoseconds: own?.nanoseconds(perUploadOf: cell),
        foretoldNanoseconds: own == nil
          ? nil : OwnWork(of: others, left: left).nanoseconds(perUploadOf: cell))
    }
  }

  /// The rows of accounts.csv.
  public var records: [AccountRecord] {
    accounts.map { account in
      let priced = Dictionary(uniqueKeysWithValues: account.counted.map { ($0.work, $0.count * $0.price) })
      var record = AccountRecord()
      record.run = account.summary.run
      record.contender = account.summary.contender
      record.scenario = account.summary.scenario
      record.above = account.base
      record.overheadNanoseconds = account.overheadNanoseconds
      record.handOversNanoseconds = priced[.threadSwitches] ?? 0
      record.allocationsNanoseconds = priced[.allocations] ?? 0
      record.retainsNanoseconds = priced[.retains] ?? 0
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

  /// Those by which the model is judged.
  public var judged: [CostAccount] {
    accounts.filter { Self.judgedPatterns.contains($0.summary.pattern) }
  }

  /// Of these, how many it explains well: by a measure of an account.
  public func explained(by share: (CostAccount) -> Double?) -> (well: Int, of: Int) {
    (judged.count { (share($0) ?? 0) >= Self.leastExplained }, judged.count)
  }
}

extension CostModel {
  /// What is to be explained of one cell, per upload.
  struct Cell {
    let summary: CellSummary
    /// The cell of what it is above.
    let least: CellSummary
    let overhead: Double
    let interval: ClosedRange<Double>?
    /// Those whose own work is the same: a contender, where completions run in the same context and posts follow each other
    /// alike.
    let group: String

    var base: String { least.contender }
    var uploads: Double { summary.uploadsPerPost }

    func count(of work: PricedWork) -> Double {
      (work.count(in: summary) ?? 0) - (work.count(in: least) ?? 0)
    }

    /// Those of a scenario that can be explained: of posts on a service that answers at once, that come to be.
    static func all(of scenario: ScenarioReport, _ record: ScenarioRecord?) -> [Cell] {
      guard scenario.service == "instant", scenario.end == .post else { return [] }
      let summaries = scenario.cells.map(\.summary)
      let service = summaries.first { $0.contender == ExternalBaseline.service && isCounted($0) }
      guard let least = service ?? summaries.first(where: { $0.contender == $0.reference && isCounted($0) })
      else { return [] }
      let marks = ["context", "overlap"].compactMap { name in
        record?.definition[name].map { " \(name) \($0)" }
      }
      return scenario.cells.compactMap { cell -> Cell? in
        let summary = cell.summary
        guard summary.contender != least.contender, !ExternalBaseline.contains(summary.contender),
          isCounted(summary),
          let overhead = service == nil
            ? summary.cpuNanosecondsPerUpload.map({ $0 - (least.cpuNanosecondsPerUpload ?? 0) })
            : summary.cpuAboveServiceNanosecondsPerUpload,
          // Of what takes no more than the base there is nothing to explain.
          overhead > 0
        else { return nil }
        return Cell(
          summary: summary, least: least, overhead: overhead, interval: cell.processorAboveService,
          group: summary.contender + marks.joined())
      }
    }

    private static func isCounted(_ summary: CellSummary) -> Bool {
      PricedWork.allCases.allSatisfy { $0.count(in: summary) != nil }
    }
  }
}

extension CostModel.OwnWork {
  /// What leaves the least of a contender's cells: the sum of the shares that are left, so that a cell or two in which something else
  /// happens do not bend the others (least absolute deviations).
  ///
  /// One of the best fits meets two cells exactly, or one if one of its parts is 0, so all of these are tried.
  init(of cells: [CostModel.Cell], left: (CostModel.Cell) -> Double) {
    let points = cells.map { (left: left($0), perPost: 1 / $0.uploads, whole: max(abs($0.overhead), 50)) }
    var candidates = [(0.0, 0.0)]
    for (index, point) in points.enumerated() {
      candidates += [(point.left, 0), (0, point.left / point.perPost)]
      for other in points[..<index] where other.perPost != point.perPost {
        let perPost = (point.left - other.left) / (point.perPost - other.perPost)
        candidates.append((point.left - perPost * point.perPost, perPost))
      }
    }
    let (perUpload, perPost) =
      candidates.filter { $0.0 >= 0 && $0.1 >= 0 }.min { first, second in
        func missed(_ candidate: (Double, Double)) -> Double {
          points.reduce(0) {
            // Of next to nothing a share says nothing.
            $0 + abs($1.left - candidate.0 - candidate.1 * $1.perPost) / $1.whole
          }
        }
        return missed(first) < missed(second)
      } ?? (0, 0)
    (perUploadNanoseconds, perPostNanoseconds) = (perUpload, perPost)
  }
}
