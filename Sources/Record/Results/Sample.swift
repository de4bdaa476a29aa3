/// One measurement of a contender in a scenario: a row of samples.csv, whose columns results/README.md explains. Times are nanoseconds
/// per post (the total ÷ `iterations`); counts are per sample. `nil` means unknown: an empty field, never 0.
public struct Sample: Sendable, Equatable {
  private var cell = Cell.Shared(Cell())
  public var generation = 0
  public var round = 0
  public var position = 0
  public var iterations = 1
  public var outcome = Outcome.failed
  public var reason: String?
  @Unknown public var wallNanoseconds: Int?
  @Unknown public var cpuUserNanoseconds: Int?
  @Unknown public var cpuSystemNanoseconds: Int?
  @Unknown public var voluntarySwitches: Int?
  @Unknown public var involuntarySwitches: Int?
  @Unknown public var minorFaults: Int?
  @Unknown public var allocations: Int?
  @Unknown public var allocatedBytes: Int?
  @Unknown public var retains: Int?
  @Unknown public var releases: Int?
  @Unknown public var peakThreads: Int?
  @Unknown public var peakRSSBytes: Int?
  @Unknown public var idealNanoseconds: Int?
  @Unknown public var uploadsStarted: Int?
  @Unknown public var uploadsFinished: Int?
  @Unknown public var uploadsCancelled: Int?
  @Unknown public var peakInFlight: Int?
  @Unknown public var posts: Int?
  @Unknown public var stealNanoseconds: Int?
  @Unknown public var pressureNanoseconds: Int?
  public var dropped: DropReason?
  @Unknown public var failureToCompletionNanoseconds: Int?
  @Unknown public var failureToStopNanoseconds: Int?
  @Unknown public var startsAfterFailure: Int?
  @Unknown public var wastedBytes: Int?
  @Unknown public var heartbeatWorstNanoseconds: Int?
  @Unknown public var objects: Int?
  @Unknown public var inFlightBytes: Int?
  @Unknown public var postsBefore: Int?

  public init() {}

  private struct Cell: Sendable, Hashable {
    var run = ""
    var contender = ""
    var scenario = ""
    var pattern = ""
    var service = ""
    var fanOut = 0
    var inFlightLimit: Int?
    var payloadBytes = 0
    var machine: String?

    /// The fields that many samples share, stored once: in each sample, they would take a third of its memory.
    final class Shared: Sendable, Equatable {
      let cell: Cell
      init(_ cell: Cell) { self.cell = cell }
      static func == (left: Shared, right: Shared) -> Bool { left === right || left.cell == right.cell }
    }
  }

  private subscript<Value>(common: WritableKeyPath<Cell, Value>) -> Value {
    get { cell.cell[keyPath: common] }
    set {
      var changed = cell.cell
      changed[keyPath: common] = newValue
      cell = Cell.Shared(changed)
    }
  }

  struct KnownCells {
    private var known: [Cell: Cell.Shared] = [:]

    mutating func share(_ sample: inout Sample) {
      if let known = known[sample.cell.cell] {
        sample.cell = known
      } else {
        known[sample.cell.cell] = sample.cell
      }
    }
  }
}

extension Sample {
  public var run: String {
    get { cell.cell.run }
    set { self[\.run] = newValue }
  }
  public var contender: String {
    get { cell.cell.contender }
    set { self[\.contender] = newValue }
  }
  public var scenario: String {
    get { cell.cell.scenario }
    set { self[\.scenario] = newValue }
  }
  public var pattern: String {
    get { cell.cell.pattern }
    set { self[\.pattern] = newValue }
  }
  public var service: String {
    get { cell.cell.service }
    set { self[\.service] = newValue }
  }
  public var fanOut: Int {
    get { cell.cell.fanOut }
    set { self[\.fanOut] = newValue }
  }
  public var inFlightLimit: Int? {
    get { cell.cell.inFlightLimit }
    set { self[\.inFlightLimit] = newValue }
  }
  public var payloadBytes: Int {
    get { cell.cell.payloadBytes }
    set { self[\.payloadBytes] = newValue }
  }
  public var machine: String? {
    get { cell.cell.machine }
    set { self[\.machine] = newValue }
  }
}

/// An integer that may be unknown, in half the memory of an optional: a million samples contain 30 million.
@propertyWrapper
public struct Unknown: Sendable, Equatable {
  /// `Int.min`, which no file contains, means unknown.
  private var value = Int.min

  public init() {}
  public var wrappedValue: Int? {
    get { value == .min ? nil : value }
    set { value = newValue ?? .min }
  }
}

extension Sample: CSVRecord {
  public static let columns: [Column<Sample>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("generation", \.generation, unit: "count"),
    Column("round", \.round, unit: "count"),
    Column("position", \.position, unit: "count"),
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("pattern", \.pattern, unit: "name"),
    Column("service", \.service, unit: "name"),
    Column("fan_out", \.fanOut, unit: "count"),
    Column("in_flight_limit", \.inFlightLimit, unit: "count", check: .positive),
    Column("payload_bytes", \.payloadBytes, unit: "bytes"),
    Column("iterations", \.iterations, unit: "count", check: .positive),
    Column("outcome", \.outcome),
    Column("reason", \.reason, unit: "text"),
    Column("wall_ns", \._wallNanoseconds, unit: "ns"),
    Column("cpu_user_ns", \._cpuUserNanoseconds, unit: "ns"),
    Column("cpu_system_ns", \._cpuSystemNanoseconds, unit: "ns"),
    Column("voluntary_switches", \._voluntarySwitches, unit: "count"),
    Column("involuntary_switches", \._involuntarySwitches, unit: "count"),
    Column("minor_faults", \._minorFaults, unit: "count"),
    Column("allocations", \._allocations, unit: "count"),
    Column("allocated_bytes", \._allocatedBytes, unit: "bytes"),
    Column("retains", \._retains, unit: "count"),
    Column("releases", \._releases, unit: "count"),
    Column("peak_threads", \._peakThreads, unit: "count"),
    Column("peak_rss_bytes", \._peakRSSBytes, unit: "bytes"),
    Column("ideal_ns", \._idealNanoseconds, unit: "ns"),
    Column("uploads_started", \._uploadsStarted, unit: "count"),
    Column("uploads_finished", \._uploadsFinished, unit: "count"),
    Column("uploads_cancelled", \._uploadsCancelled, unit: "count"),
    Column("peak_in_flight", \._peakInFlight, unit: "count"),
    Column("posts", \._posts, unit: "count"),
    Column("steal_ns", \._stealNanoseconds, unit: "ns"),
    Column("pressure_ns", \._pressureNanoseconds, unit: "ns"),
    Column("dropped", \.dropped),
    Column("failure_to_completion_ns", \._failureToCompletionNanoseconds, unit: "ns"),
    Column("failure_to_stop_ns", \._failureToStopNanoseconds, unit: "ns"),
    Column("starts_after_failure", \._startsAfterFailure, unit: "count"),
    Column("wasted_bytes", \._wastedBytes, unit: "bytes"),
    Column("heartbeat_worst_ns", \._heartbeatWorstNanoseconds, unit: "ns"),
    Column("objects", \._objects, unit: "count"),
    Column("machine", \.machine, unit: "name"),
    Column("in_flight_bytes", \._inFlightBytes, unit: "bytes"),
    Column("posts_before", \._postsBefore, unit: "count"),
  ]

  /// The number of columns in the first version of the file, which ended with `dropped`.
  public static let firstColumnCount = 35

  public var width: (scenario: String, fanOut: Int)? { (scenario, fanOut) }

  public func validate() throws(FieldProblem) {
    if outcome == .measured, (wallNanoseconds ?? 0) < 1 {
      throw FieldProblem("wall_ns is empty or 0, but column outcome says that the sample was measured")
    }
    if outcome != .measured, reason == nil {
      throw FieldProblem("reason is empty, but column outcome says \(outcome.rawValue)")
    }
  }
}

/// How a sample ended. It is also `measured` if the scenario expects an error or a cancellation and exactly that happened.
public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
  /// The sample was timed, and the service received the expected uploads.
  case measured
  /// The contender ended with an unexpected error, or its process died.
  case failed
  /// The contender ended, but its result or its uploads are not as expected.
  case wrong
  /// The contender had not ended when the timeout expired.
  case timedOut = "timed_out"

  package static func worst(_ outcomes: [Outcome]) -> Outcome {
    return [wrong, failed, timedOut].first(where: outcomes.contains) ?? measured
  }
}

/// Why statistics exclude a sample.
public enum DropReason: String, Sendable, Hashable, CaseIterable, Codable {
  case warmUp = "warm_up"
  /// Other work on the machine disturbed the sample, or its whole round, which is then dropped for all contenders.
  case disturbed
}

/// Some of a run's samples, without a copy.
public struct SampleSelection: RandomAccessCollection, Sendable, Equatable {
  private let run: [Sample]
  private let places: [Int32]

  private init(of run: [Sample], at places: [Int32]) { (self.run, self.places) = (run, places) }

  /// Selects all samples.
  public init(_ samples: [Sample]) { self.init(of: samples, at: samples.indices.map(Int32.init)) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { places.count }
  /// The index in the run of the first selected sample, or the number of samples if none is selected.
  package var firstPlace: Int { places.first.map(Int.init) ?? run.count }
  public subscript(index: Int) -> Sample { run[Int(places[index])] }

  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

  public func only(where isSelected: (Sample) -> Bool) -> Self {
    Self(of: run, at: places.filter { isSelected(run[Int($0)]) })
  }

  public func groups<Key: Hashable>(by key: (Sample) -> Key) -> [Key: Self] {
    Dictionary(grouping: places) { key(run[Int($0)]) }.mapValues { Self(of: run, at: $0) }
  }
}

/// The samples from which a row of summary.csv is computed.
public struct SampleGroup: Sendable {
  let samples: SampleSelection
  private let median: @Sendable ([Double]) -> Double?

  public init(_ samples: SampleSelection, median: @escaping @Sendable ([Double]) -> Double?) {
    self.samples = samples
    self.median = median
  }

  func median(_ value: (Sample) -> Double?) -> Double? { median(samples.compactMap(value)) }

  func medianPerUpload(_ count: (Sample) -> Int?) -> Double? {
    median { $0.perUpload($0.perPost(count($0))) }
  }

  func most(_ value: (Sample) -> Int?) -> Int? { samples.compactMap(value).max() }
}

extension Sample {
  package var scenarioFacts: [(column: String, value: String)] {
    [
      ("pattern", pattern), ("service", service), ("fan_out", "\(fanOut)"),
      ("in_flight_limit", inFlightLimit.map { "\($0)" } ?? "none"), ("payload_bytes", "\(payloadBytes)"),
    ]
  }

  package func perPost(_ count: Int?) -> Double? { count.map { Double($0) / Double(iterations) } }

  /// A value per post (a job of uploads), divided by the number of the post's uploads, or by 1 without uploads.
  func perUpload(_ value: Double?) -> Double? { value.map { $0 / Double(max(fanOut, 1)) } }

  package var wall: Double? { wallNanoseconds.map(Double.init) }

  var efficiency: Double? {
    guard let ideal = idealNanoseconds, let wall, ideal > 0, wall > 0 else { return nil }
    return Double(ideal) / wall
  }

  // Sums are doubles, because a file may contain counts whose sum exceeds an integer.

  package var cpuNanoseconds: Double? {
    guard let user = cpuUserNanoseconds, let system = cpuSystemNanoseconds else { return nil }
    return Double(user) + Double(system)
  }

  /// Context switches per post.
  package var switches: Double? {
    guard let voluntary = voluntarySwitches, let involuntary = involuntarySwitches else { return nil }
    return (Double(voluntary) + Double(involuntary)) / Double(iterations)
  }
}
