import Results
import Statistics

extension RunAnalysis {
  /// Judges the samples of one run.
  ///
  /// Two families of comparisons are decided, each by Holm: every cell against the reference over the whole run, which
  /// gives ratios, intervals and verdicts; and within each scenario the other pairs of contenders, which only give rank
  /// groups. Scenarios that were too disturbed are in neither.
  ///
  /// - Parameter run: the name in summary.csv.
  public init(run: String, samples: [Sample], options: AnalysisOptions) {
    let cells = Self.cells(of: samples)
    let scenarioNames = samples.map(\.scenario).unique()
    let contenders = samples.map(\.contender).unique()
    let planned =
      options.plannedCells
      ?? scenarioNames.flatMap { scenario in
        contenders.map { CellKey(contender: $0, scenario: scenario) }
      }
    let missing = planned.filter { cells[$0] == nil }
    let disturbances = Dictionary(grouping: samples, by: \.scenario).mapValues {
      ScenarioDisturbance($0, mostDisturbedShare: options.mostDisturbedShare)
    }

    let comparable = scenarioNames.flatMap { scenario in
      contenders.compactMap { contender -> (key: CellKey, samples: PairedSamples)? in
        let key = CellKey(contender: contender, scenario: scenario)
        guard contender != options.reference, let cell = cells[key], cell.isRankable,
          let reference = cells[CellKey(contender: options.reference, scenario: scenario)],
          reference.isRankable
        else { return nil }
        return (key, PairedSamples(candidate: cell, reference: reference))
      }
    }
    // What is too disturbed asks no question, so it makes the others' answers no stricter.
    let compared = comparable.filter { disturbances[$0.key.scenario]?.isTooDisturbed == false }
    var comparisons = Dictionary(
      uniqueKeysWithValues: comparable.map { ($0.key, Comparison(undecided: $0.samples)) })
    for (cell, comparison) in zip(compared, Comparison.family(compared.map(\.samples), options: options)) {
      comparisons[cell.key] = comparison
    }

    self.run = run
    reference = options.reference
    sampleCount = samples.count
    droppedSamples = samples.reduce(into: [:]) { counts, sample in
      if let dropped = sample.dropped { counts[dropped, default: 0] += 1 }
    }
    generations =
      Set(cells.values.flatMap { $0.counted.map { [$0.run, String($0.generation)] } }).count
    fewestPairs = AnalysisOptions.fewestPairs(
      comparisons: compared.count, familyWiseError: options.familyWiseError)
    equivalenceMargin = options.equivalenceMargin
    mostDisturbedShare = options.mostDisturbedShare
    self.missing = missing
    scenarios = scenarioNames.compactMap { scenario in
      guard let disturbance = disturbances[scenario] else { return nil }
      return ScenarioReport(
        cells: contenders.compactMap { cells[CellKey(contender: $0, scenario: scenario)] }, run: run,
        disturbance: disturbance,
        comparisons: comparisons, missing: missing.filter { $0.scenario == scenario }.map(\.contender),
        options: options)
    }
  }

  private static func cells(of samples: [Sample]) -> [CellKey: Cell] {
    let grouped = Dictionary(grouping: samples) {
      CellKey(contender: $0.contender, scenario: $0.scenario)
    }
    return Dictionary(
      uniqueKeysWithValues: grouped.map { ($0.key, Cell(key: $0.key, samples: $0.value)) })
  }
}
