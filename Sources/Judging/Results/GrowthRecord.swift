/// How one contender's time grows over the scenarios of a series, which differ in nothing but their fan-out: one row of
/// growth.csv.
public struct GrowthRecord: Sendable, Equatable {
  public var run = ""
  public var contender = ""
  public var series = ""
  public var pattern = ""
  public var service = ""
  public var inFlightLimit: Int?
  public var widths = 0
  public var leastFanOut: Int?
  public var mostFanOut: Int?
  public var verdict: GrowthVerdict?
  public var exponent: Double?
  public var exponentLow: Double?
  public var exponentHigh: Double?
  public var exponentFromFanOut: Int?
  public var widestExponent: Double?
  public var widestExponentLow: Double?
  public var widestExponentHigh: Double?
  public var superlinearFromFanOut: Int?
  public var fixedNanoseconds: Double?
  public var fixedLowNanoseconds: Double?
  public var fixedHighNanoseconds: Double?
  public var linearNanoseconds: Double?
  public var linearLowNanoseconds: Double?
  public var linearHighNanoseconds: Double?
  public var logLinearNanoseconds: Double?
  public var logLinearLowNanoseconds: Double?
  public var logLinearHighNanoseconds: Double?
  public var largestDeviation: Double?
  public var nanosecondsPerUpload: Double?
  public var bytesPerUpload: Double?
  public var stoppedAtFanOut: Int?
  public var stoppedBy: String?
  public var machine: String?

  public init() {}
}

extension GrowthRecord: CSVRecord {
  public static let columns: [Column<GrowthRecord>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column(
      "series", \.series, unit: "name",
      "The scenarios' name with `N` for the fan-out, which is all they differ in."),
    Column("pattern", \.pattern, unit: "name", "The shape of the job."),
    Column("service", \.service, unit: "name", "What was uploaded to."),
    Column(
      "in_flight_limit", \.inFlightLimit, unit: "count",
      "Uploads that may be in flight at once. Empty = no limit.", check: .positive),
    Column("widths", \.widths, unit: "count", "Fan-outs of 1 or more at which this contender was measured."),
    Column("least_fan_out", \.leastFanOut, unit: "count", "The smallest of them.", check: .positive),
    Column("most_fan_out", \.mostFanOut, unit: "count", "The largest of them.", check: .positive),
    Column(
      "verdict", \.verdict,
      "What the interval of `exponent` proves: within 0.95 to 1.05, above 1.05, below 0.95, or none of these. Empty where there is no exponent."
    ),
    Column(
      "exponent", \.exponent, unit: "power",
      "Slope of ln(time of a post) against ln(fan-out), by least squares, over the fan-outs from 1000 if there are two of them, else from 10: 1 = linear, 2 = quadratic, N·log N about 1.1. Empty under two."
    ),
    Column(
      "exponent_ci_low", \.exponentLow, unit: "power",
      "Lower end of its 95 % interval, by resampling generations and then their rounds. Empty under 3 generations, or 6 rounds of a fan-out."
    ),
    Column("exponent_ci_high", \.exponentHigh, unit: "power", "Its upper end."),
    Column(
      "exponent_from_fan_out", \.exponentFromFanOut, unit: "count",
      "The smallest fan-out that the exponent is of.", check: .positive),
    Column(
      "widest_exponent", \.widestExponent, unit: "power",
      "The same slope between the two largest fan-outs: how it goes on."),
    Column(
      "widest_exponent_ci_low", \.widestExponentLow, unit: "power",
      "Lower end of its 95 % interval. Empty as above."),
    Column("widest_exponent_ci_high", \.widestExponentHigh, unit: "power", "Its upper end."),
    Column(
      "superlinear_from_fan_out", \.superlinearFromFanOut, unit: "count",
      "The fan-out from which on every slope between neighbours is proved to be above 1.05. Empty if there is none.",
      check: .positive),
    Column(
      "fixed_ns", \.fixedNanoseconds, unit: "ns",
      "a of the time of a post as a + b·N + c·N·log2 N, by least squares of the relative errors over all fan-outs. Empty under three.",
      check: .any),
    Column(
      "fixed_ci_low_ns", \.fixedLowNanoseconds, unit: "ns",
      "Lower end of its 95 % interval. Empty as that of the exponent.", check: .any),
    Column("fixed_ci_high_ns", \.fixedHighNanoseconds, unit: "ns", "Its upper end.", check: .any),
    Column(
      "linear_ns", \.linearNanoseconds, unit: "ns",
      "b, per upload. Below 0 where the curve bends more than N·log N.", check: .any),
    Column(
      "linear_ci_low_ns", \.linearLowNanoseconds, unit: "ns",
      "Lower end of its 95 % interval.", check: .any),
    Column("linear_ci_high_ns", \.linearHighNanoseconds, unit: "ns", "Its upper end.", check: .any),
    Column(
      "log_linear_ns", \.logLinearNanoseconds, unit: "ns",
      "c, per upload and doubling of the fan-out. Below 0 where an upload becomes cheaper.", check: .any),
    Column(
      "log_linear_ci_low_ns", \.logLinearLowNanoseconds, unit: "ns",
      "Lower end of its 95 % interval.", check: .any),
    Column("log_linear_ci_high_ns", \.logLinearHighNanoseconds, unit: "ns", "Its upper end.", check: .any),
    Column(
      "largest_deviation", \.largestDeviation, unit: "ratio",
      "How far the fit is from the worst median, as a share of it: a large one says that time grows otherwise."
    ),
    Column(
      "ns_per_upload", \.nanosecondsPerUpload, unit: "ns",
      "That of `summary.csv` at the largest fan-out."),
    Column(
      "bytes_per_upload", \.bytesPerUpload, unit: "bytes",
      "That of `summary.csv` at the largest fan-out."),
    Column(
      "stopped_at_fan_out", \.stoppedAtFanOut, unit: "count",
      "The smallest fan-out that was tried and not measured. Empty if there is none.", check: .positive),
    Column(
      "stopped_by", \.stoppedBy, unit: "text",
      "What stopped it there: the outcome and its reason, such as its timeout, or memory."),
    Column("machine", \.machine, unit: "name", "As in `samples.csv`: a series of two machines is two."),
  ]

  public func validate() throws(FieldProblem) {
    if stoppedAtFanOut != nil, stoppedBy == nil {
      throw FieldProblem("stopped_by is empty, but stopped_at_fan_out is not")
    }
  }
}

/// How a contender's time grows with the fan-out, as far as the run proves it.
public enum GrowthVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// In proportion.
  case linear
  case superlinear
  case sublinear
  /// The run does not tell.
  case unresolved
}

/// Where two contenders of a series change places: one row of crossovers.csv.
public struct CrossoverRecord: Sendable, Equatable {
  public var run = ""
  public var series = ""
  public var cheaperBelow = ""
  public var cheaperAbove = ""
  public var fanOut = 0.0
  public var fanOutLow = 0.0
  public var fanOutHigh = 0.0
  public var provedBelowFanOut = 0
  public var provedAboveFanOut = 0
  public var machine: String?

  public init() {}
}

extension CrossoverRecord: CSVRecord {
  public static let columns: [Column<CrossoverRecord>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("series", \.series, unit: "name", "As in `growth.csv`."),
    Column("cheaper_below", \.cheaperBelow, unit: "name", "Who takes less time at smaller fan-outs."),
    Column("cheaper_above", \.cheaperAbove, unit: "name", "Who takes less time at larger ones."),
    Column(
      "fan_out", \.fanOut, unit: "count",
      "Estimate of where both take as long: the geometric mean of where they meet if times between neighbours are straight, and if they are so where both axes are logarithmic."
    ),
    Column(
      "fan_out_ci_low", \.fanOutLow, unit: "count",
      "Lower end of the 95 % intervals of both, by resampling as in `growth.csv`; no further than `proved_below`."
    ),
    Column("fan_out_ci_high", \.fanOutHigh, unit: "count", "Its upper end; no further than `proved_above`."),
    Column(
      "proved_below", \.provedBelowFanOut, unit: "count",
      "The measured fan-out below it at which the first is proved to take less time (95 %, for each pair and fan-out by itself).",
      check: .positive),
    Column(
      "proved_above", \.provedAboveFanOut, unit: "count",
      "The measured fan-out above it at which the second is.", check: .positive),
    Column("machine", \.machine, unit: "name", "As in `samples.csv`."),
  ]

  public func validate() throws(FieldProblem) {
    if !(fanOutLow...max(fanOutLow, fanOutHigh)).contains(fanOut) {
      throw FieldProblem("fan_out lies outside of its interval")
    }
  }
}
