import Results
import Statistics

extension CellSummary {
  /// What the cell's samples say by themselves, without any other cell.
  init(_ cell: Cell, run: String) {
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
    exactCounts = ExactCounts(cell)
    countRanges = CountRanges(cell, exact: exactCounts)
  }
}
