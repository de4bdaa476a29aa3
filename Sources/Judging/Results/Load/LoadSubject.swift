/// What was offered to whom: what every file of a load run begins its rows with.
public struct LoadSubject: FilledRecord, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var pattern = ""
  public var service = ""
  public var fanOut = 0
  public var inFlightLimit: Int?
  public var payloadBytes = 0
  /// `poisson` or `fixed`.
  public var schedule = ""

  public init() {}
}

extension LoadSubject {
  /// What every file that has a row for each contender and rate begins with.
  static let columns: [Column<LoadSubject>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column("pattern", \.pattern, unit: "name", "The shape of the job."),
    Column("service", \.service, unit: "name", "What was uploaded to."),
    Column("fan_out", \.fanOut, unit: "count", "As in `samples.csv`."),
    Column(
      "in_flight_limit", \.inFlightLimit, unit: "count",
      "Uploads of one post that may be in flight at once. Empty = no limit.", check: .positive),
    Column(
      "payload_bytes", \.payloadBytes, unit: "bytes",
      "Bytes of each synthetic media file; for real ones the mean, rounded down."),
    Column(
      "schedule", \.schedule, unit: "`poisson`, `fixed`",
      "How posts arrive: independently of one another, or evenly.", check: .name),
  ]
}
