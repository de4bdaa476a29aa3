extension LoadWindow: CSVRecord {
  public static let columns: [Column<LoadWindow>] = subject + posts + times + judgement

  public static var firstColumnCount: Int { columns.count }

  private static let subject: [Column<LoadWindow>] = [
    Column("run", \.subject.run, unit: "name", "Name of the run.", check: RecordName.checkRun),
    Column(
      "contender", \.subject.contender, unit: "name", "Whose implementation ran.", check: RecordName.check),
    Column("scenario", \.subject.scenario, unit: "name", "The scenario's name.", check: RecordName.check),
    Column("pattern", \.subject.pattern, unit: "name", "The shape of the job.", check: RecordName.check),
    Column("service", \.subject.service, unit: "name", "What was uploaded to.", check: RecordName.check),
    Column("fan_out", \.subject.fanOut, unit: "count", "As in `samples.csv`.", check: notNegative),
    Column(
      "in_flight_limit", \.subject.inFlightLimit, unit: "count",
      "Uploads of one post that may be in flight at once. Empty = no limit.", check: positive),
    Column(
      "payload_bytes", \.subject.payloadBytes, unit: "bytes",
      "Bytes of each synthetic media; for real media the mean, rounded down.", check: notNegative),
    Column(
      "schedule", \.subject.schedule, unit: "`poisson`, `fixed`",
      "How posts arrive: independently of one another, or evenly.", check: RecordName.check),
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

  private static let times: [Column<LoadWindow>] = [
    Column(
      "achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second",
      "Posts that ended ÷ the window with what its last posts took longer than those of its first quarter.",
      check: notNegative),
    Column(
      "p50_ns", \.figures.p50Nanoseconds, unit: "ns",
      "Median latency: from the moment at which a post was due to its completion, at most 1/128 above the exact one, as the next. Posts that were given up count with the time they had waited. Empty with fewer than 20 posts: less than 10 would lie beyond it.",
      check: notNegative),
    Column(
      "p90_ns", \.figures.p90Nanoseconds, unit: "ns",
      "90th percentile. Empty with fewer than 100 posts: less than 10 would lie beyond it.",
      check: notNegative),
    Column(
      "p99_ns", \.figures.p99Nanoseconds, unit: "ns",
      "99th percentile. Empty with fewer than 1 000 posts: less than 10 would lie beyond it.",
      check: notNegative),
    Column(
      "p99_9_ns", \.figures.p999Nanoseconds, unit: "ns",
      "99.9th percentile. Empty with fewer than 10 000 posts: less than 10 would lie beyond it.",
      check: notNegative),
    Column(
      "p99_99_ns", \.figures.p9999Nanoseconds, unit: "ns",
      "99.99th percentile. Empty with fewer than 100 000 posts: less than 10 would lie beyond it.",
      check: notNegative),
    Column("max_ns", \.figures.maxNanoseconds, unit: "ns", "The longest, exactly.", check: notNegative),
    Column(
      "lateness_p50_ns", \.figures.latenessP50Nanoseconds, unit: "ns",
      "How much later than due the harness started posts by its own fault: median. The time for which an earlier post's start had not returned is the contender's, and not in it.",
      check: notNegative),
    Column(
      "lateness_p99_ns", \.figures.latenessP99Nanoseconds, unit: "ns",
      "Its 99th percentile, of however many posts.", check: notNegative),
    Column("lateness_max_ns", \.figures.latenessMaxNanoseconds, unit: "ns", "The most.", check: notNegative),
    Column(
      "held_up_p99_ns", \.figures.heldUpP99Nanoseconds, unit: "ns",
      "99th percentile of how much later posts were started because the contender's start of an earlier one had not returned.",
      check: notNegative),
    Column(
      "process_cpu_share", \.figures.processShare, unit: "share",
      "Processor time of the worker ÷ that of all processors, from 0 to 1. Empty where the kernel does not say.",
      check: notNegative),
    Column(
      "machine_cpu_share", \.figures.machineShare, unit: "share",
      "The same of everything that ran, the worker included.", check: notNegative),
    Column(
      "others_cpu_share", \.figures.othersShare, unit: "share",
      "The same of all other processes and of what the hypervisor gave away.", check: notNegative),
  ]

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
