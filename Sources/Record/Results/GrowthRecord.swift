/// How a contender's time grows over scenarios that differ only in the number of uploads: a row of growth.csv.
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
  public var nanosecondsPerUpload: Double?
  public var bytesPerUpload: Double?
  public var stoppedAtFanOut: Int?
  public var stoppedBy: String?
  public var machine: String?

  public init() {}
}

extension GrowthRecord: CSVRecord {
  public static let columns: [Column<GrowthRecord>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("contender", \.contender, unit: "name"),
    Column("series", \.series, unit: "name"),
    Column("pattern", \.pattern, unit: "name"),
    Column("service", \.service, unit: "name"),
    Column("in_flight_limit", \.inFlightLimit, unit: "count", check: .positive),
    Column("widths", \.widths, unit: "count"),
    Column("least_fan_out", \.leastFanOut, unit: "count", check: .positive),
    Column("most_fan_out", \.mostFanOut, unit: "count", check: .positive),
    Column("verdict", \.verdict),
    Column("exponent", \.exponent, unit: "power"),
    Column("exponent_ci_low", \.exponentLow, unit: "power"),
    Column("exponent_ci_high", \.exponentHigh, unit: "power"),
    Column("exponent_from_fan_out", \.exponentFromFanOut, unit: "count", check: .positive),
    Column("widest_exponent", \.widestExponent, unit: "power"),
    Column("widest_exponent_ci_low", \.widestExponentLow, unit: "power"),
    Column("widest_exponent_ci_high", \.widestExponentHigh, unit: "power"),
    Column("superlinear_from_fan_out", \.superlinearFromFanOut, unit: "count", check: .positive),
    Column("ns_per_upload", \.nanosecondsPerUpload, unit: "ns"),
    Column("bytes_per_upload", \.bytesPerUpload, unit: "bytes"),
    Column("stopped_at_fan_out", \.stoppedAtFanOut, unit: "count", check: .positive),
    Column("stopped_by", \.stoppedBy, unit: "text"),
    Column("machine", \.machine, unit: "name"),
  ]

  public func validate() throws(FieldProblem) {
    if stoppedAtFanOut != nil, stoppedBy == nil {
      throw FieldProblem("stopped_by is empty, but stopped_at_fan_out is not")
    }
  }
}

/// How a contender's time grows with the number of uploads, as far as the run proves it.
public enum GrowthVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// `linear` means in proportion to the number of uploads.
  case linear, superlinear, sublinear
  /// No kind of growth is proved.
  case unresolved
}
