import Results
import Statistics

extension CellSummary {
  /// What the cell's samples say by themselves, without any other cell.
  init(_ cell: CellSamples, run: String) {
    let first = cell.all[0]
    self.init()
    self.run = run
    contender = first.contender
    scenario = first.scenario
    pattern = first.pattern
    service = first.service
    fanOut = first.fanOut
    inFlightLimit = first.inFlightLimit
    payloadBytes = first.payloadBytes
    machine = first.machine
    samples = cell.counted.count
    dropped = cell.all.count { $0.dropped != nil }
    outcome = cell.outcome
    let counted = SampleGroup(cell.counted, median: Quantiles.median)
    for column in Self.columns { column.fill?(counted, &self) }
    let walls = cell.wallNanoseconds
    let interval = MedianInterval(of: walls, level: 0.95)
    medianLowNanoseconds = interval?.low
    medianHighNanoseconds = interval?.high
    // Of fewer values a high quantile is the maximum by another name.
    p90Nanoseconds = walls.count >= 10 ? Quantiles.quantile(0.9, of: walls) : nil
    p99Nanoseconds = walls.count >= 100 ? Quantiles.quantile(0.99, of: walls) : nil
    nanosecondsPerUpload = medianNanoseconds.map { $0 / cell.uploadsPerPost }
    // Where the service touched every byte of the post, and a post came of it.
    if service == "file", fanOut > 0, payloadBytes > 0, ScenarioEnd.inferred(from: [first]) == .post {
      bytesPerSecond = medianNanoseconds.map { cell.uploadsPerPost * Double(payloadBytes) / $0 * 1e9 }
    }
    setCounts(cell)
  }

  /// By the rule of ``CountedCell/exact(_:)``: what two processes or more have counted is exact if all counts are the same,
  /// and has a range otherwise. Both stay nil if fewer have counted anything.
  private mutating func setCounts(_ cell: CellSamples) {
    let counted = ExactCounts.countable.compactMap {
      name, count -> (entry: CountRanges.Entry, isExact: Bool)? in
      let samples = cell.counted.filter { count($0) != nil }
      guard Set(samples.map { RoundKey($0).process }).count > 1 else { return nil }
      let perUpload = samples.compactMap { sample in
        count(sample).map { Double($0) / Double(sample.iterations) / cell.uploadsPerPost }
      }
      let entry = CountRanges.Entry(name: name, least: perUpload.min() ?? 0, most: perUpload.max() ?? 0)
      return (entry, Set(samples.map { count($0) ?? 0 }).count == 1)
    }
    guard !counted.isEmpty else { return }
    exactCounts = ExactCounts(counted.filter(\.isExact).map(\.entry.name))
    countRanges = CountRanges(counted.filter { !$0.isExact }.map(\.entry))
  }
}
