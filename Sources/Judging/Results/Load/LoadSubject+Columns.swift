extension LoadSubject {
  /// What every file that has a row for each contender and rate begins with.
  static let columns: [Column<LoadSubject>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: RecordName.checkRun),
    Column(
      "contender", \.contender, unit: "name", "Whose implementation ran.", check: RecordName.check),
    Column("scenario", \.scenario, unit: "name", "The scenario's name.", check: RecordName.check),
    Column("pattern", \.pattern, unit: "name", "The shape of the job.", check: RecordName.check),
    Column("service", \.service, unit: "name", "What was uploaded to.", check: RecordName.check),
    Column("fan_out", \.fanOut, unit: "count", "As in `samples.csv`.", check: notNegative),
    Column(
      "in_flight_limit", \.inFlightLimit, unit: "count",
      "Uploads of one post that may be in flight at once. Empty = no limit.", check: positive),
    Column(
      "payload_bytes", \.payloadBytes, unit: "bytes",
      "Bytes of each synthetic media; for real media the mean, rounded down.", check: notNegative),
    Column(
      "schedule", \.schedule, unit: "`poisson`, `fixed`",
      "How posts arrive: independently of one another, or evenly.", check: RecordName.check),
  ]
}
