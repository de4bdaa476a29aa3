import Results

extension AnalysisOptions {
  /// What a run's own record says of how it is to be judged.
  ///
  /// - Parameters:
  ///   - plannedCells: as ``plannedCells``.
  ///   - sourceLines: as ``sourceLines``.
  public init(
    _ environment: EnvironmentRecord, plannedCells: [CellKey], sourceLines: [String: [String: Int]]
  ) {
    let scenarios = environment.scenarios ?? [:]
    self.init(
      reference: environment.reference ?? "", plannedCells: plannedCells,
      ends: scenarios.compactMapValues { $0.endsWith.flatMap(ScenarioEnd.init) },
      subjects: scenarios.compactMapValues(ScenarioSubject.init), sourceLines: sourceLines)
  }
}

extension ScenarioSubject {
  fileprivate init?(_ record: ScenarioRecord) {
    guard let subject = record.subject, let unit = record.unit else { return nil }
    self.init(text: subject, unit: unit, showsMemory: record.showsMemory ?? false)
  }
}

extension EnvironmentRecord {
  /// Says of each scenario what the analysis was told of it, so that the files alone can be judged again.
  public mutating func note(_ options: AnalysisOptions) {
    for name in scenarios?.keys.sorted() ?? [] {
      scenarios?[name]?.endsWith = options.ends[name]?.rawValue
      scenarios?[name]?.subject = options.subjects[name]?.text
      scenarios?[name]?.unit = options.subjects[name]?.unit
      scenarios?[name]?.showsMemory = options.subjects[name]?.showsMemory == true ? true : nil
    }
  }
}
