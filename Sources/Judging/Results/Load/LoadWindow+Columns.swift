extension LoadWindow: CSVRecord {
  public static let columns: [Column<LoadWindow>] = subject + posts + times + judgement

  public static var firstColumnCount: Int { columns.count }

  private static let subject: [Column<LoadWindow>] =
    LoadSubject.columns.map { $0.part(of: \.subject) } + [
      Column(
        "round", \.round, unit: "count",
        "Pass over all contenders, from 0: they met the same moments of arrival in it.", check: notNegative),
      Column(
        "position", \.position, unit: "count", "Place in the round's order, from 0.", check: notNegative),
    ]

  private static let posts: [Column<LoadWindow>] = [
    Column(
      "offered_per_s", \.offeredPerSecond, unit: "posts per second",
      "How many posts were to arrive in a second, on average.", check: notNegative),
    Column(
      "window_ns", \.windowNanoseconds, unit: "ns",
      "From the begin of the window to its end, which comes early where as many posts are under way as may be.",
      check: notNegative),
    Column("posts_due", \.due, unit: "count", "Posts that arrived.", check: notNegative),
    Column(
      "posts_completed", \.completed, unit: "count", "Those that ended as they should.", check: notNegative),
    Column(
      "posts_given_up", \.givenUp, unit: "count",
      "Those that were cancelled, or not even started, because the window was over or full.",
      check: notNegative),
    Column(
      "posts_wrong", \.wrong, unit: "count", "Those that ended in another way than they should.",
      check: notNegative),
    Column(
      "peak_posts_in_flight", \.peakInFlight, unit: "count", "Most posts that were under way at once.",
      check: notNegative),
    Column(
      "drain_ns", \.drainNanoseconds, unit: "ns",
      "From the moment at which the last post was due until none was left, or the rest was given up.",
      check: notNegative),
    Column(
      "ideal_ns", \.idealNanoseconds, unit: "ns",
      "Lower bound of the latency: no contender can end a post sooner. Empty where the service promises no time.",
      check: notNegative),
    Column(
      "steal_ns", \.stealNanoseconds, unit: "ns",
      "Time during the window that the hypervisor gave to others, all processors.", check: notNegative),
    Column(
      "outcome", \.outcome, unit: "`measured`, `failed`, `wrong`, `timed_out`",
      "`measured` = every post that was not given up did exactly what the scenario expects, by its own ledger."
    ),
    Column("reason", \.reason, unit: "text", "Why the outcome is not `measured`."),
  ]

  private static let times: [Column<LoadWindow>] =
    [
      Column(
        "achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second",
        "Posts that ended ÷ the window with what its last posts took longer than those of its first quarter.",
        check: notNegative)
    ] + LoadFigures.columns.map { $0.part(of: \.figures) }

  private static let judgement: [Column<LoadWindow>] = [
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`. Empty where none was.",
      check: RecordName.check),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", "The time it was to take at most.", check: positive),
    Column(
      "verdict", \.verdict, unit: "`held`, `missed`, `saturated`, `generator_late`, `machine_limit`",
      "What the window says. Empty where the outcome is not `measured`, and where too few posts stand behind the percentile that was asked for."
    ),
  ]

  public static let blank = LoadWindow(
    subject: .blank, round: 0, position: 0, offeredPerSecond: 0, windowNanoseconds: 0, due: 0, completed: 0,
    peakInFlight: 0, drainNanoseconds: 0, outcome: .failed)

  public func validate() throws(FieldProblem) {
    if outcome != .measured, reason == nil {
      throw FieldProblem("reason is empty, but the outcome is \(outcome.rawValue)")
    }
  }
}
