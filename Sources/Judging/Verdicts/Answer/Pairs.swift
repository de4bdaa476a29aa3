import Results
import Statistics

/// Every contender that comes with Swift and Foundation beside every other one, paired by round like ratios to the reference.
///
/// Quotients of two ratios to the reference would lack an interval, and be of other rounds.
struct Pairs: Sendable, Equatable {
  /// One for each scenario and ordered pair.
  let records: [PairRecord]

  init(run: String, cells: [CellKey: CellSamples], options: AnalysisOptions) {
    let own = cells.values.filter { cell in
      // A variant answers another question.
      cell.isRankable && !cell.key.contender.contains("/")
        && options.idioms[cell.key.contender]?.shipsWith == "toolchain"
    }
    records = own.grouped(by: \.key.place).values.flatMap { cells in
      cells.flatMap { candidate in
        cells.filter { $0.key != candidate.key }.map { PairRecord(candidate, $0, run: run) }
      }
    }.ordered {
      SortKey(first: $0.scenario, numbers: [], last: "\($0.machine ?? "") \($0.reference) \($0.contender)")
    }
  }
}

extension PairRecord {
  fileprivate init(_ candidate: CellSamples, _ reference: CellSamples, run: String) {
    self.init()
    (self.run, scenario, machine) = (run, candidate.all[0].scenario, candidate.all[0].machine)
    (contender, self.reference) = (candidate.key.contender, reference.key.contender)
    let time = PairedSamples(candidate: candidate, reference: reference)
    rounds = time.pairs.count
    (ratio, ratioLow, ratioHigh) = time.ratio
    (cpuRatio, cpuRatioLow, cpuRatioHigh) =
      PairedSamples(candidate: candidate, reference: reference, of: \.processorNanosecondsByTurn).ratio
  }
}

extension PairedSamples {
  /// The ratio and the ends of its 95 % interval, as far as there are enough rounds.
  fileprivate var ratio: (Double?, Double?, Double?) {
    let values = logRatios
    let mean = TrimmedMean(of: values)
    let interval = interval(of: values, around: mean)
    return (
      (mean?.mean ?? values.first).map(LogRatio.ratio), (interval?.lowerBound).map(LogRatio.ratio),
      (interval?.upperBound).map(LogRatio.ratio)
    )
  }
}

extension Answer {
  /// Such as `async/await beside DispatchGroup: uploads wait 1.02, nothing waits 4.3, …`; none where the run has not both.
  func besides(_ pairs: Pairs) -> [String] {
    [("swift-concurrency", "gcd-groups"), ("swift-concurrency", "operations")].compactMap { pair in
      let means = columns.compactMap { column -> String? in
        let records = pairs.records.filter {
          $0.contender == pair.0 && $0.reference == pair.1 && column.names.contains($0.scenario)
        }
        let (times, costs) = (records.compactMap(\.ratio), records.compactMap(\.cpuRatio))
        guard !times.isEmpty, !costs.isEmpty else { return nil }
        let numbers = [times, costs].map { NumberText.ratio(LogRatio.geometricMean($0)) }
        return "\(column.workClass.title) \(numbers.joined(separator: "/"))"
      }
      guard !means.isEmpty else { return nil }
      return "\(name(pair.0)) beside \(name(pair.1)), time/cpu: \(means.joined(separator: ", "))."
    }
  }

  private func name(_ contender: String) -> String {
    rows.first { $0.contender == contender }?.idiom?.name ?? contender
  }
}

extension PairRecord: JSONEncodable {
  /// The columns of pairs.csv.
  public var jsonObject: JSONObject {
    [
      "scenario": scenario, "contender": contender, "reference": reference, "rounds": rounds,
      "ratio": ratio.rounded, "ratio_ci_low": ratioLow.rounded, "ratio_ci_high": ratioHigh.rounded,
      "cpu_ratio": cpuRatio.rounded, "cpu_ratio_ci_low": cpuRatioLow.rounded,
      "cpu_ratio_ci_high": cpuRatioHigh.rounded,
    ]
  }
}
