/// Where the processor time of one cell goes that it takes above the service: one row of accounts.csv.
public struct AccountRecord: Sendable, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var above = ""
  public var overheadNanoseconds = 0.0
  public var handOversNanoseconds = 0.0
  public var allocationsNanoseconds = 0.0
  public var retainsNanoseconds = 0.0
  public var ownWorkNanoseconds: Double?
  public var restNanoseconds = 0.0
  public var explainedShare = 0.0
  public var foretoldShare: Double?

  public init() {}
}

extension AccountRecord: CSVRecord {
  public static let columns: [Column<AccountRecord>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column(
      "above", \.above, unit: "name",
      "What the rest of the row is above: `service`, or the reference where the service was not driven alone."
    ),
    Column(
      "overhead_cpu_ns_per_upload", \.overheadNanoseconds, unit: "ns",
      "Processor time per upload above that, by paired differences: the sum of the next five.", check: .any),
    Column(
      "hand_overs_ns", \.handOversNanoseconds, unit: "ns",
      "Voluntary context switches per upload above it × the price of one.", check: .any),
    Column("allocations_ns", \.allocationsNanoseconds, unit: "ns", "The same of allocations.", check: .any),
    Column("retains_ns", \.retainsNanoseconds, unit: "ns", "The same of retains.", check: .any),
    Column(
      "own_work_ns", \.ownWorkNanoseconds, unit: "ns",
      "What the contender does that is not counted: so much per upload and so much per post, fitted over its cells. Empty where these are fewer than four.",
      check: .any),
    Column(
      "rest_ns", \.restNanoseconds, unit: "ns", "What is left; negative where the account is too high.",
      check: .any),
    Column(
      "explained_share", \.explainedShare, unit: "share",
      "1 − |`rest_ns`| ÷ |`overhead_cpu_ns_per_upload`|, at least 0."),
    Column(
      "foretold_share", \.foretoldShare, unit: "share",
      "The same of an account in whose own work this cell had no say. Empty as `own_work_ns`."),
  ]
}
