/// What the samples of one cell (contender × scenario) amount to: one row of summary.csv.
/// `nil` means unknown; what each value means stands in ``columns``.
public struct CellSummary: Sendable, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var pattern = ""
  public var service = ""
  public var fanOut = 0
  public var inFlightLimit: Int?
  public var payloadBytes = 0
  public var samples = 0
  public var dropped = 0
  public var outcome = Outcome.failed
  public var medianNanoseconds: Double?
  public var medianLowNanoseconds: Double?
  public var medianHighNanoseconds: Double?
  public var p90Nanoseconds: Double?
  public var p99Nanoseconds: Double?
  public var nanosecondsPerUpload: Double?
  public var overheadNanosecondsPerUpload: Double?
  public var reference: String?
  public var ratio: Double?
  public var ratioLow: Double?
  public var ratioHigh: Double?
  public var rankGroup: Int?
  public var efficiency: Double?
  public var cpuNanosecondsPerUpload: Double?
  public var switchesPerUpload: Double?
  public var allocationsPerUpload: Double?
  public var retainsPerUpload: Double?
  public var peakThreads: Int?
  public var peakRSSBytes: Int?
  public var sourceLines: Int?
  public var shipsWith: String?
  public var usualContext: String?
  public var failureToCompletionNanoseconds: Double?
  public var failureToStopNanoseconds: Double?
  public var startsAfterFailure: Double?
  public var wastedBytes: Double?
  public var heartbeatWorstNanoseconds: Int?
  public var verdict: Verdict?
  public var isWithinMargin: Bool?
  public var roundsToResolve: Int?
  public var unresolvedReason: String?
  public var disturbedRounds: Int?
  public var rankProbabilities: RankProbabilities?
  public var objectsPerUpload: Double?
  public var machine: String?
  public var bytesPerSecond: Double?
  public var bytesPerUpload: Double?
  public var faultsPerUpload: Double?
  public var voluntarySwitchesPerUpload: Double?
  public var involuntarySwitchesPerUpload: Double?
  public var allocatedBytesPerUpload: Double?
  public var releasesPerUpload: Double?
  public var exactCounts: ExactCounts?
  public var countRanges: CountRanges?
  public var postsBefore: Double?
  public var cpuRatio: Double?
  public var cpuRatioLow: Double?
  public var cpuRatioHigh: Double?
  public var cpuVerdict: Verdict?
  public var aboveServiceNanosecondsPerUpload: Double?
  public var cpuAboveServiceNanosecondsPerUpload: Double?

  public init() {}
}

extension CellSummary: CSVRecord {
  public static let columns: [Column<CellSummary>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column("pattern", \.pattern, unit: "name", "The shape of the job."),
    Column("service", \.service, unit: "name", "What was uploaded to."),
    Column("fan_out", \.fanOut, unit: "count", "As in `samples.csv`."),
    Column(
      "in_flight_limit", \.inFlightLimit, unit: "count",
      "Uploads that may be in flight at once. Empty = no limit.", check: .positive),
    Column(
      "payload_bytes", \.payloadBytes, unit: "bytes",
      "Bytes of each synthetic media file; for real ones the mean, rounded down."),
    Column(
      "samples", \.samples, unit: "count",
      "Measured samples that the numbers of this row are made of."),
    Column("dropped", \.dropped, unit: "count", "Samples left out: warm-up and disturbed ones."),
    Column(
      "outcome", \.outcome,
      "`measured` if every sample of the cell is, dropped ones included; otherwise the worst (`wrong`, then `failed`, then `timed_out`), and the cell is neither compared nor ranked."
    ),
    Column(
      "median_ns", \.medianNanoseconds, unit: "ns",
      "Median of `wall_ns`: time per post.", from: { $0.median(\.wall) }),
    Column(
      "median_ci_low_ns", \.medianLowNanoseconds, unit: "ns",
      "Lower end of the 95 % interval of the median, from order statistics. Empty where the samples are too few (under 6)."
    ),
    Column("median_ci_high_ns", \.medianHighNanoseconds, unit: "ns", "Its upper end."),
    Column("p90_ns", \.p90Nanoseconds, unit: "ns", "90th percentile of `wall_ns`. Empty under 10 samples."),
    Column("p99_ns", \.p99Nanoseconds, unit: "ns", "99th percentile of `wall_ns`. Empty under 100 samples."),
    Column(
      "ns_per_upload", \.nanosecondsPerUpload, unit: "ns",
      "`median_ns` ÷ `fan_out` (÷ 1 for an empty post)."),
    Column(
      "overhead_ns_per_upload", \.overheadNanosecondsPerUpload, unit: "ns",
      "Median of the paired differences to the reference's `wall_ns`, ÷ `fan_out` (÷ 1 for an empty post). What is called overhead in a report is `above_service_ns_per_upload`, where there is one. Negative where the contender is faster; 0 for the reference itself.",
      check: .any),
    Column(
      "reference", \.reference, unit: "name",
      "The contender that overhead and ratio are taken against. Empty where there is no comparison."),
    Column(
      "ratio", \.ratio, unit: "ratio",
      "Of the paired log-ratios of `wall_ns` to the reference's, same generation and round, the mean without their highest and lowest tenth, as a ratio; 1 and without interval for the reference itself. Where the reference has two samples in a round, their geometric mean counts."
    ),
    Column(
      "ratio_ci_low", \.ratioLow, unit: "ratio",
      "Lower end of its 95 % interval (K. K. Yuen's t of the trimmed mean), whatever the verdict. Empty under 6 pairs."
    ),
    Column("ratio_ci_high", \.ratioHigh, unit: "ratio", "Its upper end."),
    Column(
      "rank_group", \.rankGroup, unit: "count",
      "Rank within the scenario, from 1. Contenders share it exactly if the run's pairs do not separate them; empty for the whole scenario where that is impossible (A ≈ B ≈ C, and yet A < C).",
      check: .positive),
    Column(
      "efficiency", \.efficiency, unit: "ratio",
      "Median of `ideal_ns` ÷ `wall_ns`: 1 = as fast as the service permits. Empty where there is no ideal.",
      from: { $0.median(\.efficiency) }),
    Column(
      "cpu_ns_per_upload", \.cpuNanosecondsPerUpload, unit: "ns",
      "Median of user and kernel processor time per post, ÷ `fan_out`.",
      from: { $0.median { $0.perUpload($0.cpuNanoseconds) } }),
    Column(
      "switches_per_upload", \.switchesPerUpload, unit: "count",
      "Median of voluntary and involuntary context switches per post, ÷ `fan_out`.",
      from: { $0.median { $0.perUpload($0.switches) } }),
    Column(
      "allocations_per_upload", \.allocationsPerUpload, unit: "count",
      "Median of heap allocations per post, ÷ `fan_out`.", from: { $0.medianPerUpload(\.allocations) }),
    Column(
      "retains_per_upload", \.retainsPerUpload, unit: "count",
      "Median of retains per post, ÷ `fan_out`.", from: { $0.medianPerUpload(\.retains) }),
    Column(
      "peak_threads", \.peakThreads, unit: "count",
      "Most threads in any sample of the cell.", from: { $0.most(\.peakThreads) }),
    Column(
      "peak_rss_bytes", \.peakRSSBytes, unit: "bytes",
      "Most resident memory in any sample of the cell.", from: { $0.most(\.peakRSSBytes) }),
    Column(
      "source_lines", \.sourceLines, unit: "count",
      "Lines of code of the contender's file for this pattern and of every declaration of its own target that the file reaches; runs without the note `source_lines` in their `environment.json` counted the file alone."
    ),
    Column(
      "failure_to_completion_ns", \.failureToCompletionNanoseconds, unit: "ns",
      "Median of the samples' `failure_to_completion_ns`.",
      from: { $0.median { $0.failureToCompletionNanoseconds.map(Double.init) } }),
    Column(
      "failure_to_stop_ns", \.failureToStopNanoseconds, unit: "ns",
      "Median of the samples' `failure_to_stop_ns`.",
      from: { $0.median { $0.failureToStopNanoseconds.map(Double.init) } }),
    Column(
      "starts_after_failure", \.startsAfterFailure, unit: "count",
      "Median of `starts_after_failure` per post.",
      from: { $0.median { $0.perPost($0.startsAfterFailure) } }),
    Column(
      "wasted_bytes", \.wastedBytes, unit: "bytes",
      "Median of `wasted_bytes` per post.", from: { $0.median { $0.perPost($0.wastedBytes) } }),
    Column(
      "heartbeat_worst_ns", \.heartbeatWorstNanoseconds, unit: "ns",
      "Largest `heartbeat_worst_ns` of any sample of the cell.",
      from: { $0.most(\.heartbeatWorstNanoseconds) }),
    Column(
      "verdict", \.verdict,
      "What the run proves of this contender beside the reference, with at most 5 % for any false one among all verdicts of the run. `faster`, `slower`: it differs, and the interval leaves out 1. `equivalent`: it lies within the margin (÷ and × 1.05), as does the interval, and no difference is proved. `unresolved`: none of these is proved. Empty for the reference and where there is no comparison."
    ),
    Column(
      "within_margin", \.isWithinMargin,
      "Whether the ratio is proved to lie within the margin: always of an `equivalent`, and of a `faster` or `slower` by less than the margin."
    ),
    Column(
      "rounds_to_resolve", \.roundsToResolve, unit: "count",
      "Estimate: the undisturbed rounds, those taken included, after which an `unresolved` is resolved with at least 80 %, if further pairs fall like those seen. 10000 = that many or more.",
      check: .positive),
    Column(
      "unresolved_reason", \.unresolvedReason, unit: "text",
      "What may be the cause where `verdict` is `unresolved`: the scenario lost more than 30 % of its rounds to disturbance. Empty otherwise."
    ),
    Column(
      "disturbed_rounds", \.disturbedRounds, unit: "count",
      "Rounds of the scenario that were dropped as disturbed, for all contenders alike."),
    Column(
      "rank_probabilities", \.rankProbabilities, unit: "probabilities",
      "The probability of rank 1, 2, … within the scenario, separated by `;`, by resampling generations and then their rounds. Empty under 6 rounds, and where nothing is decided or ranked."
    ),
    Column(
      "objects_per_upload", \.objectsPerUpload, unit: "count",
      "Median of Swift objects allocated per post, ÷ `fan_out`.", from: { $0.medianPerUpload(\.objects) }),
    Column(
      "machine", \.machine, unit: "name",
      "As in `samples.csv`: a cell that was measured on two machines has two rows."),
    Column(
      "bytes_per_second", \.bytesPerSecond, unit: "bytes/s",
      "Bytes of the post ÷ `median_ns`, on a service that keeps them (`file`). Empty on any other."),
    Column(
      "bytes_per_upload", \.bytesPerUpload, unit: "bytes",
      "Median of `in_flight_bytes`, ÷ `fan_out`: what an upload takes while it is in flight, the service's part included, which is the same for all.",
      from: { $0.median { $0.perUpload($0.inFlightBytes.map(Double.init)) } }),
    Column(
      "faults_per_upload", \.faultsPerUpload, unit: "count",
      "Median of page faults without I/O per post, ÷ `fan_out`.",
      from: { $0.medianPerUpload(\.minorFaults) }),
    Column(
      "voluntary_switches_per_upload", \.voluntarySwitchesPerUpload, unit: "count",
      "Median of the times that a thread gave up its processor, per post, ÷ `fan_out`.",
      from: { $0.medianPerUpload(\.voluntarySwitches) }),
    Column(
      "involuntary_switches_per_upload", \.involuntarySwitchesPerUpload, unit: "count",
      "Median of the times that a thread lost its processor, per post, ÷ `fan_out`.",
      from: { $0.medianPerUpload(\.involuntarySwitches) }),
    Column(
      "allocated_bytes_per_upload", \.allocatedBytesPerUpload, unit: "bytes",
      "Median of bytes allocated per post, ÷ `fan_out`.", from: { $0.medianPerUpload(\.allocatedBytes) }),
    Column(
      "releases_per_upload", \.releasesPerUpload, unit: "count",
      "Median of releases per post, ÷ `fan_out`.", from: { $0.medianPerUpload(\.releases) }),
    Column(
      "exact_counts", \.exactCounts, unit: "names",
      "Which of `allocations`, `allocated_bytes`, `objects`, `retains`, `releases` are proved to repeat exactly, separated by `;`: the same per post in the counting passes of two processes or more. `none` = not one. Empty where they were counted in fewer."
    ),
    Column(
      "count_ranges", \.countRanges, unit: "counts",
      "For each of these counts that is not in `exact_counts`, though two processes or more have counted it: the least and the most per upload of the counting passes, as `retains=12.01..12.3`, separated by `;`. Of n passes that are alike the median of all lies in between with 1 − 2^(1−n): 50 % of two, 97 % of six. `none` = all are exact. Empty as `exact_counts`."
    ),
    Column(
      "posts_before", \.postsBefore, unit: "count",
      "Median of `posts_before` of `samples.csv`. Empty without `--behind`.",
      from: { $0.median { $0.postsBefore.map(Double.init) } }),
    Column(
      "cpu_ratio", \.cpuRatio, unit: "ratio",
      "As `ratio`, of user and kernel processor time. Empty where that is unknown, and for the reference itself."
    ),
    Column("cpu_ratio_ci_low", \.cpuRatioLow, unit: "ratio", "As `ratio_ci_low`, of processor time."),
    Column("cpu_ratio_ci_high", \.cpuRatioHigh, unit: "ratio", "Its upper end."),
    Column("cpu_verdict", \.cpuVerdict, "As `verdict`, of processor time."),
    Column(
      "above_service_ns_per_upload", \.aboveServiceNanosecondsPerUpload, unit: "ns",
      "As `overhead_ns_per_upload`, but above the `service` driver: what the idiom adds to what the service itself takes. The reference's own, too. Empty where the driver was not measured, and for external baselines.",
      check: .any),
    Column(
      "cpu_above_service_ns_per_upload", \.cpuAboveServiceNanosecondsPerUpload, unit: "ns",
      "The same of user and kernel processor time.", check: .any),
    Column(
      "ships_with", \.shipsWith, unit: "text",
      "Who ships the contender: `toolchain`, `this package` or `third party`. Empty if unknown."),
    Column(
      "completions", \.usualContext, unit: "name",
      "Where the contender's completions run unless a scenario says otherwise: `inline`, `queue` or `pool`. Empty if unknown."
    ),
  ]

  /// The columns up to `source_lines`.
  public static let firstColumnCount = 31

  public func validate() throws(FieldProblem) {
    if samples == 0, medianNanoseconds != nil {
      throw FieldProblem("median_ns has a value, but samples is 0")
    }
  }
}

/// What a run says of a cell beside its reference.
public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
  case faster
  case slower
  /// Neither is proved, but that the two differ by less than the margin.
  case equivalent
  /// The run does not tell; that is not the same as being equal.
  case unresolved
}
