import Results
import Statistics

extension PairRecord {
  /// Every contender that comes with Swift and Foundation beside every other one, by scenario, paired by round like ratios to the
  /// reference.
  ///
  /// Quotients of two ratios to the reference would lack an interval, and be of other rounds.
  static func all(of cells: [CellKey: CellSamples], run: String, options: AnalysisOptions) -> [PairRecord] {
    let own = cells.values.filter { cell in
      // A variant answers another question.
      cell.isRankable && !cell.key.contender.contains("/")
        && options.idioms[cell.key.contender]?.shipsWith == "toolchain"
    }
    return own.grouped(by: \.key.place).values.flatMap { cells in
      cells.flatMap { candidate in
        cells.filter { $0.key != candidate.key }.map { PairRecord(candidate, $0, run: run) }
      }
    }.ordered {
      SortKey(first: $0.scenario, numbers: [], last: "\($0.machine ?? "") \($0.reference) \($0.contender)")
    }
  }

  private init(_ candidate: CellSamples, _ reference: CellSamples, run: String) {
    self.init()
    (self.run, scenario, machine) = (run, candidate.all[0].scenario, candidate.all[0].machine)
    (contender, self.reference) = (candidate.key.contender, reference.key.contender)
    let time = PairedSamples(candidate: candidate, reference: reference)
    let processor = PairedSamples(
      candidate: candidate, reference: reference, of: \.processorNanosecondsByTurn)
    rounds = time.pairs.count
    let (wall, cpu) = (RatioEstimate(time), RatioEstimate(processor))
    (ratio, cpuRatio) = (wall.ratio, cpu.ratio)
    (ratioLow, ratioHigh) = (wall.interval?.lowerBound, wall.interval?.upperBound)
    (cpuRatioLow, cpuRatioHigh) = (cpu.interval?.lowerBound, cpu.interval?.upperBound)
  }
}

extension Answer {
  /// Such as `async/await beside DispatchGroup: uploads wait 1.02, nothing waits 4.3, …`; none where the run has not both.
  var besides: [String] {
    [("swift-concurrency", "gcd-groups"), ("swift-concurrency", "operations")].compactMap { pair in
      let means = columns.compactMap { column -> String? in
        let records = pairs.filter {
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
