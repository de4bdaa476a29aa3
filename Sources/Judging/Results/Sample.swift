/// One timed run of one cell: one row of samples.csv.
///
/// Times are integer nanoseconds per post (the sample's total ÷ `iterations`); counts are per sample, over all its
/// iterations. `nil` means unknown and is written as an empty cell, never as 0. The meaning of each value is
/// documented once, in ``columns``.
public struct Sample: Sendable, Equatable {
  public var run = ""
  public var generation = 0
  public var round = 0
  public var position = 0
  public var contender = ""
  public var scenario = ""
  public var pattern = ""
  public var service = ""
  public var fanOut = 0
  public var inFlightLimit: Int?
  public var payloadBytes = 0
  public var iterations = 1
  public var outcome = Outcome.failed
  public var reason: String?
  public var wallNanoseconds: Int?
  public var cpuUserNanoseconds: Int?
  public var cpuSystemNanoseconds: Int?
  public var voluntarySwitches: Int?
  public var involuntarySwitches: Int?
  public var minorFaults: Int?
  public var allocations: Int?
  public var allocatedBytes: Int?
  public var retains: Int?
  public var releases: Int?
  public var peakThreads: Int?
  public var peakRSSBytes: Int?
  public var idealNanoseconds: Int?
  public var uploadsStarted: Int?
  public var uploadsFinished: Int?
  public var uploadsCancelled: Int?
  public var peakInFlight: Int?
  public var posts: Int?
  public var stealNanoseconds: Int?
  public var pressureNanoseconds: Int?
  public var dropped: DropReason?
  public var failureToCompletionNanoseconds: Int?
  public var failureToStopNanoseconds: Int?
  public var startsAfterFailure: Int?
  public var wastedBytes: Int?
  public var heartbeatWorstNanoseconds: Int?
  public var objects: Int?
  public var machine: String?
  public var inFlightBytes: Int?
  public var postsBefore: Int?

  public init() {}
}

extension Sample: CSVRecord {
  public static let columns: [Column<Sample>] = [
    Column("run", \.run, unit: "name", "Name of the run, which is also its folder's.", check: .runName),
    Column(
      "generation", \.generation, unit: "count",
      "Which set of fresh worker processes took the sample, from 0. The unit of inference between processes."),
    Column(
      "round", \.round, unit: "count",
      "Pass over all cells, from 0 in each generation. Round 0 of a cell is the first sample that its fresh process took of it: the cold one. Samples of the same generation and round are paired."
    ),
    Column(
      "position", \.position, unit: "count",
      "Place in the round's order, from 0; the sample's predecessor is the one at the place before."),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column("pattern", \.pattern, unit: "name", "The shape of the job, for example `publish`."),
    Column("service", \.service, unit: "name", "What was uploaded to."),
    Column(
      "fan_out", \.fanOut, unit: "count",
      "What is done at once: media files of the post, chunks of a stream, lookups of a zip; 0 is an empty post."
    ),
    Column(
      "in_flight_limit", \.inFlightLimit, unit: "count",
      "Uploads that may be in flight at once. Empty = no limit.", check: .positive),
    Column(
      "payload_bytes", \.payloadBytes, unit: "bytes",
      "Bytes of each synthetic media file; for real ones the mean, rounded down."),
    Column(
      "iterations", \.iterations, unit: "count",
      "Posts published within the sample, one after another unless the scenario's posts overlap: so many that it lasts about a millisecond, which differs from contender to contender. Where they are several, as many before them are checked and not timed.",
      check: .positive),
    Column(
      "outcome", \.outcome,
      "How the sample ended. `measured` = exactly what the scenario expects happened, be it a post, an error or a cancellation."
    ),
    Column(
      "reason", \.reason, unit: "text",
      "Why the outcome is not `measured`: which media file, what came, what was expected."),
    Column(
      "wall_ns", \.wallNanoseconds, unit: "ns",
      "Elapsed time per post: the sample's elapsed time ÷ `iterations`, which of posts that overlap is less than one of them takes. In a scenario that fails or is cancelled, the time from the start of the post to its error."
    ),
    Column(
      "cpu_user_ns", \.cpuUserNanoseconds, unit: "ns",
      "Processor time in user mode per post, all threads of the worker."),
    Column(
      "cpu_system_ns", \.cpuSystemNanoseconds, unit: "ns",
      "Processor time in the kernel per post, all threads of the worker."),
    Column(
      "voluntary_switches", \.voluntarySwitches, unit: "count",
      "Times a thread of the worker gave up its processor, in the whole sample."),
    Column(
      "involuntary_switches", \.involuntarySwitches, unit: "count",
      "Times a thread of the worker lost its processor, in the whole sample."),
    Column("minor_faults", \.minorFaults, unit: "count", "Page faults without I/O, in the whole sample."),
    Column(
      "allocations", \.allocations, unit: "count",
      "Heap allocations in the whole sample, counted in a pass of its own and never in a timed one. What the harness itself does on its own threads is left out."
    ),
    Column("allocated_bytes", \.allocatedBytes, unit: "bytes", "Bytes of those allocations."),
    Column(
      "retains", \.retains, unit: "count",
      "Reference counts raised through the Swift runtime in the whole sample, counted in a pass of its own. Empty where the runtime cannot be watched."
    ),
    Column(
      "releases", \.releases, unit: "count",
      "Reference counts lowered through the Swift runtime in the whole sample, counted in a pass of its own. Empty as above."
    ),
    Column(
      "peak_threads", \.peakThreads, unit: "count",
      "Most threads that the worker had at once; empty if it was done before anybody counted."),
    Column(
      "peak_rss_bytes", \.peakRSSBytes, unit: "bytes",
      "Most resident memory that the worker had so far in its life."),
    Column(
      "ideal_ns", \.idealNanoseconds, unit: "ns",
      "Lower bound of `wall_ns`: no contender can end sooner. In a scenario that fails, the moment of the first failure; in one that is cancelled, the moment of the cancel. Empty where the service promises no time."
    ),
    Column(
      "uploads_started", \.uploadsStarted, unit: "count",
      "Uploads that the service saw start, in the whole sample."),
    Column(
      "uploads_finished", \.uploadsFinished, unit: "count",
      "Uploads that the service finished, in the whole sample."),
    Column(
      "uploads_cancelled", \.uploadsCancelled, unit: "count",
      "Uploads that were cancelled in flight, in the whole sample."),
    Column(
      "peak_in_flight", \.peakInFlight, unit: "count",
      "Most uploads that the service saw in flight at once."),
    Column(
      "posts", \.posts, unit: "count",
      "Posts created, in the whole sample. 0 where the scenario expects an error or a cancellation."),
    Column(
      "steal_ns", \.stealNanoseconds, unit: "ns",
      "Time during the sample that the hypervisor gave to others, all processors."),
    Column(
      "pressure_ns", \.pressureNanoseconds, unit: "ns",
      "Time during the sample that some task of the machine waited for a processor."),
    Column(
      "dropped", \.dropped,
      "Why the sample is left out of every statistic: one of the first of a fresh process, or its round was disturbed from outside (then for all contenders alike). Empty = it counts."
    ),
    Column(
      "failure_to_completion_ns", \.failureToCompletionNanoseconds, unit: "ns",
      "Time per post from what ended the job (its first failure as the service reported it, the cancel, or its deadline) to the caller's completion. Empty where a post was created, and where the service cannot know that a failure was the last straw (`race`, `resilient`)."
    ),
    Column(
      "failure_to_stop_ns", \.failureToStopNanoseconds, unit: "ns",
      "Time per post from the same moment until the last thing has stopped: the caller has its answer, the last request has ended and the contender has let go of the completion. Empty as above."
    ),
    Column(
      "starts_after_failure", \.startsAfterFailure, unit: "count",
      "Uploads that started after that moment, in the whole sample."),
    Column(
      "wasted_bytes", \.wastedBytes, unit: "bytes",
      "Bytes that arrived whole for nothing, in the whole sample: no post came of them, or the other mirror's were first."
    ),
    Column(
      "heartbeat_worst_ns", \.heartbeatWorstNanoseconds, unit: "ns",
      "The longest that a task of the same idiom, due every millisecond, was late meanwhile; in a pass of its own. Empty for patterns other than `blocking`, and `presigned` with `--prepare` above 1."
    ),
    Column(
      "objects", \.objects, unit: "count",
      "Swift objects allocated in the whole sample, counted in a pass of its own. Each is one of `allocations`, too."
    ),
    Column(
      "machine", \.machine, unit: "name",
      "The machine that took the sample, in a run that was merged from several; samples of different machines are never compared. Empty in any other run: `environment.json` says its machine."
    ),
    Column(
      "in_flight_bytes", \.inFlightBytes, unit: "bytes",
      "Resident memory at its most during a post, above what it was before it: in a fresh process of its own that has done one small post, so that nothing that an earlier one left behind is taken for free. Empty under 1000 uploads, where pages are too coarse to tell."
    ),
    Column(
      "posts_before", \.postsBefore, unit: "count",
      "Of the posts of low priority that the post was started behind (`--behind`), those that ended before it. Empty without such. `wall_ns` is the post's own then, from its start; processor time, switches and faults are the whole worker's from then until nothing of the post was left; allocations, retains and releases are not counted."
    ),
  ]

  /// The columns up to `dropped`.
  public static let firstColumnCount = 35

  public func validate() throws(FieldProblem) {
    if outcome == .measured, (wallNanoseconds ?? 0) < 1 {
      throw FieldProblem("wall_ns is empty or 0, but the outcome is measured")
    }
    if outcome != .measured, reason == nil {
      throw FieldProblem("reason is empty, but the outcome is \(outcome.rawValue)")
    }
  }
}

/// How one sample ended.
///
/// A scenario that expects an error or a cancellation is `measured` when exactly that happened.
public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
  /// The ledger equals the expectation and the sample was timed.
  case measured
  /// The contender ended with an error that the scenario does not expect, or its worker died.
  case failed
  /// The contender ended, but its ledger or its answer differs from the expectation.
  case wrong
  /// The contender had not ended when the harness stopped waiting.
  case timedOut = "timed_out"

  /// The worst that any of them is.
  package static func worst(_ outcomes: [Outcome]) -> Outcome {
    return [wrong, failed, timedOut].first(where: outcomes.contains) ?? measured
  }
}

/// Why a sample that was taken is left out of every statistic.
public enum DropReason: String, Sendable, Hashable, CaseIterable, Codable {
  /// One of the first samples of a fresh process.
  case warmUp = "warm_up"
  /// Its round was disturbed from outside, so the round is left out for all contenders alike.
  case disturbed
}

/// The samples of one cell that count, for the columns of summary.csv that sum them up.
public struct SampleGroup: Sendable {
  let samples: [Sample]
  private let median: @Sendable ([Double]) -> Double?

  /// Of samples that were measured and not dropped.
  public init(_ samples: [Sample], median: @escaping @Sendable ([Double]) -> Double?) {
    self.samples = samples
    self.median = median
  }

  /// The median over the samples in which it is known.
  func median(_ value: (Sample) -> Double?) -> Double? { median(samples.compactMap(value)) }

  /// The median of what is counted in whole samples, per upload.
  func medianPerUpload(_ count: (Sample) -> Int?) -> Double? {
    median { $0.perUpload($0.perPost(count($0))) }
  }

  /// The most in any sample.
  func most(_ value: (Sample) -> Int?) -> Int? { samples.compactMap(value).max() }
}

extension Sample {
  /// What was counted in the whole sample, per post.
  package func perPost(_ count: Int?) -> Double? { count.map { Double($0) / Double(iterations) } }

  /// What is known per post, per upload. An empty post counts as one upload.
  func perUpload(_ value: Double?) -> Double? { value.map { $0 / Double(max(fanOut, 1)) } }

  package var wall: Double? { wallNanoseconds.map(Double.init) }

  var efficiency: Double? {
    guard let ideal = idealNanoseconds, let wall, ideal > 0, wall > 0 else { return nil }
    return Double(ideal) / wall
  }

  // Sums of doubles: what a file holds may be too much for one integer.

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
