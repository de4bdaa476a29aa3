extension LoadSummary: CSVRecord {
  public static let columns: [Column<LoadSummary>] = subject + windows + times + judgement

  public static var firstColumnCount: Int { columns.count }

  private static let subject: [Column<LoadSummary>] = LoadSubject.columns.map { $0.part(of: \.subject) }

  private static let windows: [Column<LoadSummary>] = [
    Column(
      "offered_per_s", \.offeredPerSecond, unit: "posts per second",
      "How many posts were to arrive in a second, on average.", check: notNegative),
    Column(
      "windows", \.windows, unit: "count", "Windows that the numbers of this row are made of.",
      check: notNegative),
    Column(
      "windows_disturbed", \.disturbedWindows, unit: "count",
      "Windows in which others had the processors. They are left out, unless they are more than the rest.",
      check: notNegative),
    Column(
      "posts", \.posts, unit: "count", "Posts that the percentiles are made of.", check: notNegative),
    Column(
      "outcome", \.outcome, unit: "`measured`, `failed`, `wrong`, `timed_out`",
      "`measured` if every window is; otherwise the contender has no verdict."),
    Column("reason", \.reason, unit: "text", "Why the outcome is not `measured`."),
  ]

  private static let times: [Column<LoadSummary>] =
    [
      Column(
        "achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second",
        "Posts that ended ÷ the windows, each with what its last posts took longer than those of its first quarter.",
        check: notNegative)
    ] + LoadFigures.columns.map { $0.part(of: \.figures) }

  private static let judgement: [Column<LoadSummary>] = [
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`. Empty where none was.",
      check: RecordName.check),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", "The time it was to take at most.", check: positive),
    Column(
      "verdict", \.verdict, unit: "`held`, `missed`, `saturated`, `generator_late`, `machine_limit`",
      "What all windows together say: `saturated` if most of them were. Empty where the outcome is not `measured`, and where too few posts stand behind the percentile that was asked for."
    ),
  ]

  public static let blank = LoadSummary(
    subject: .blank, offeredPerSecond: 0, windows: 0, posts: 0, outcome: .failed)

  public func validate() throws(FieldProblem) {}
}
