extension ScenarioReport {
  /// The heading of the scenario, such as `publish on instant, 100 uploads, 4 at once`.
  var subject: String {
    if let about { return about.text }
    let uploads = fanOut == 0 ? "empty post" : Plural.counted(fanOut, "upload")
    let limit = inFlightLimit.map { ", \($0) at once" } ?? ""
    return "\(pattern) on \(service), \(uploads)\(limit)"
  }

  /// The unit that times and counts are divided by.
  var unit: String { about?.unit ?? "upload" }

  var showsMemory: Bool { about?.showsMemory ?? false }

  /// The process's peak resident memory ÷ units, which is an upper bound for one unit.
  func memoryBytes(_ cell: CellReport) -> Double? {
    cell.summary.peakRSSBytes.map { Double($0) / Double(max(fanOut, 1)) }
  }

  var showsThroughput: Bool {
    !showsStopping && !showsProcess && cells.contains { $0.summary.bytesPerSecond != nil }
  }

  /// Whether tables show how jobs stopped after a failure or cancellation.
  var showsStopping: Bool { end != .post && cells.contains { $0.summary.failureToStopNanoseconds != nil } }

  /// Whether tables show threads and timer lag.
  var showsProcess: Bool { !showsStopping && cells.contains { $0.summary.heartbeatWorstNanoseconds != nil } }

  /// Whether earlier jobs (posts) of low priority delayed the measured job. Times are then of the whole job.
  var showsPostsBefore: Bool { !showsStopping && cells.contains { $0.summary.postsBefore != nil } }

  private var isPerUpload: Bool { end == .post && !showsPostsBefore }

  var timeTitle: String {
    if showsPostsBefore, end == .post { return "time/post" }
    if let about, end == .post { return "per \(about.unit)" }
    return switch end {
    case .post: fanOut == 0 ? "time/post" : "time/upload"
    case .error: "to error"
    case .cancellation: "to cancel"
    case .noPost: "time to end"
    }
  }

  /// The value of the time column in nanoseconds: per upload, or of the whole job if it creates no post or earlier posts delay it.
  func timeNanoseconds(_ cell: CellReport) -> Double? {
    isPerUpload ? cell.summary.nanosecondsPerUpload : cell.summary.medianNanoseconds
  }

  /// Converts a job's time to the unit of ``timeNanoseconds(_:)``.
  func onTheSameTerms(_ postNanoseconds: Double?) -> Double? {
    postNanoseconds.map { isPerUpload ? $0 / Double(max(fanOut, 1)) : $0 }
  }

  /// The time that a contender adds to the service's own time, or to the reference's if the service was not measured alone.
  func overheadNanoseconds(_ cell: CellReport) -> Double? {
    if hasService { return cell.summary.aboveServiceNanosecondsPerUpload }
    guard cell.comparison != nil, let perUpload = cell.summary.overheadNanosecondsPerUpload else {
      return nil
    }
    return isPerUpload ? perUpload : perUpload * cell.summary.uploadsPerPost
  }

  /// Whether the service was measured alone.
  var hasService: Bool { cells.contains { $0.summary.aboveServiceNanosecondsPerUpload != nil } }

  /// The number of rounds, such as `16 rounds (+ 14 disturbed)`.
  var roundsText: String {
    Plural.counted(rounds, "round")
      + (disturbance.disturbedRounds > 0 ? " (+ \(disturbance.disturbedRounds) disturbed)" : "")
  }
}

extension CellReport {
  /// Why the contender has no time, in one line; `nil` if it has one.
  public var explanation: String? {
    if summary.outcome != .measured {
      let reason = reasons.first { $0.outcome == summary.outcome } ?? reasons[0]
      let others = reasons.map(\.samples).reduce(0, +) - reason.samples
      let word = summary.outcome.rawValue.replacing("_", with: " ")
      return "\(word): \(reason.text) (\(Plural.counted(reason.samples, "sample"))"
        + (others > 0 ? " and \(others) for other reasons)" : ")")
    }
    return summary.samples == 0 ? "no usable sample: \(summary.dropped) dropped" : nil
  }
}
