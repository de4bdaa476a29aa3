import Results
import Statistics

extension CellSummary {
  /// What the cell's samples say by themselves, without any other cell.
  init(_ cell: Cell, run: String) {
    let first = cell.all[0]
    self.init(
      run: run, contender: first.contender, scenario: first.scenario, pattern: first.pattern,
      service: first.service, fanOut: first.fanOut, inFlightLimit: first.inFlightLimit,
      payloadBytes: first.payloadBytes, samples: cell.counted.count,
      dropped: cell.all.count { $0.dropped != nil }, outcome: cell.outcome)
    machine = first.machine
    let uploads = cell.uploadsPerPost
    let walls = cell.wallNanoseconds
    let interval = MedianInterval(of: walls, level: 0.95)
    medianNanoseconds = Quantiles.median(of: walls)
    medianLowNanoseconds = interval?.low
    medianHighNanoseconds = interval?.high
    // Of fewer values a high quantile is the maximum by another name.
    p90Nanoseconds = walls.count >= 10 ? Quantiles.quantile(0.9, of: walls) : nil
    p99Nanoseconds = walls.count >= 100 ? Quantiles.quantile(0.99, of: walls) : nil
    nanosecondsPerUpload = medianNanoseconds.map { $0 / uploads }
    bytesPerSecond =
      Self.carriesBytes(first)
      ? medianNanoseconds.map { uploads * Double(first.payloadBytes) / $0 * 1e9 } : nil
    efficiency = Quantiles.median(
      of: cell.counted.compactMap { sample in
        guard let ideal = sample.idealNanoseconds, let wall = sample.wallNanoseconds, ideal > 0, wall > 0
        else {
          return nil
        }
        return Double(ideal) / Double(wall)
      })
    cpuNanosecondsPerUpload = Self.median(cell) { sample in
      guard let user = sample.cpuUserNanoseconds, let system = sample.cpuSystemNanoseconds else { return nil }
      // Apart: what a file holds may be too much for one integer.
      return (Double(user) + Double(system)) / uploads
    }
    switchesPerUpload = Self.median(cell) { sample in
      guard let voluntary = sample.voluntarySwitches, let involuntary = sample.involuntarySwitches else {
        return nil
      }
      return (Double(voluntary) + Double(involuntary)) / Double(sample.iterations) / uploads
    }
    allocationsPerUpload = Self.perUpload(cell, \.allocations)
    retainsPerUpload = Self.perUpload(cell, \.retains)
    objectsPerUpload = Self.perUpload(cell, \.objects)
    bytesPerUpload = Self.median(cell) { sample in sample.inFlightBytes.map { Double($0) / uploads } }
    faultsPerUpload = Self.perUpload(cell, \.minorFaults)
    voluntarySwitchesPerUpload = Self.perUpload(cell, \.voluntarySwitches)
    involuntarySwitchesPerUpload = Self.perUpload(cell, \.involuntarySwitches)
    allocatedBytesPerUpload = Self.perUpload(cell, \.allocatedBytes)
    releasesPerUpload = Self.perUpload(cell, \.releases)
    exactCounts = ExactCounts(cell)
    countRanges = CountRanges(cell, exact: exactCounts)
    peakThreads = cell.counted.compactMap(\.peakThreads).max()
    peakRSSBytes = cell.counted.compactMap(\.peakRSSBytes).max()
    failureToCompletionNanoseconds = Self.median(cell) { $0.failureToCompletionNanoseconds.map(Double.init) }
    failureToStopNanoseconds = Self.median(cell) { $0.failureToStopNanoseconds.map(Double.init) }
    startsAfterFailure = Self.median(cell) { sample in
      sample.startsAfterFailure.map { Double($0) / Double(sample.iterations) }
    }
    wastedBytes = Self.median(cell) { sample in
      sample.wastedBytes.map { Double($0) / Double(sample.iterations) }
    }
    postsBefore = Self.median(cell) { $0.postsBefore.map(Double.init) }
    heartbeatWorstNanoseconds = cell.counted.compactMap(\.heartbeatWorstNanoseconds).max()
  }

  /// Whether the service touched every byte of the post, and a post came of it.
  private static func carriesBytes(_ sample: Sample) -> Bool {
    sample.service == "file" && sample.fanOut > 0 && sample.payloadBytes > 0
      && ScenarioEnd.inferred(from: [sample]) == .post
  }

  /// The median of what is counted in whole samples, per post and upload.
  private static func perUpload(_ cell: Cell, _ count: (Sample) -> Int?) -> Double? {
    median(cell) { sample in
      count(sample).map { Double($0) / Double(sample.iterations) / cell.uploadsPerPost }
    }
  }

  private static func median(_ cell: Cell, of value: (Sample) -> Double?) -> Double? {
    Quantiles.median(of: cell.counted.compactMap(value))
  }
}
