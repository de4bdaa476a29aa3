/// All windows of one contender, scenario and rate together: a row of load_summary.csv.
public struct LoadSummary: Sendable, Equatable {
  public var subject = LoadSubject()
  public var offeredPerSecond = 0.0
  public var windows = 0
  public var disturbedWindows = 0
  public var posts = 0
  public var outcome = Outcome.failed
  public var reason: String?
  public var figures = LoadFigures()
  public var objectivePercentile: String?
  public var objectiveNanoseconds: Int?
  public var verdict: LoadVerdict?

  public init() {}
}

extension LoadSummary: CSVRecord {
  public static let columns: [Column<LoadSummary>] =
    LoadSubject.columns.map { $0.part(of: \.subject) } + windows
    + LoadFigures.columns.map { $0.part(of: \.figures) } + judgement

  private static let windows: [Column<LoadSummary>] = [
    Column(
      "offered_per_s", \.offeredPerSecond, unit: "posts per second",
      "How many posts were to arrive in a second, on average."),
    Column("windows", \.windows, unit: "count", "Windows that the numbers of this row are made of."),
    Column(
      "windows_disturbed", \.disturbedWindows, unit: "count",
      "Windows in which others had the processors. They are left out, unless they are more than the rest."),
    Column("posts", \.posts, unit: "count", "Posts that the percentiles are made of."),
    Column("outcome", \.outcome, "`measured` if every window is; otherwise the contender has no verdict."),
    Column("reason", \.reason, unit: "text", "Why the outcome is not `measured`."),
    Column(
      "achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second",
      "Posts that ended ÷ the windows, each with what its last posts took longer than those of its first quarter."
    ),
  ]

  private static let judgement: [Column<LoadSummary>] = [
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`. Empty where none was."),
    Column(
      "slo_ns", \.objectiveNanoseconds, unit: "ns",
      "The time it was to take at most.", check: .positive),
    Column(
      "verdict", \.verdict,
      "What all windows together say: `saturated` if most of them were. Empty where the outcome is not `measured`, and where too few posts stand behind the percentile that was asked for."
    ),
  ]
}
