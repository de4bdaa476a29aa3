/// One timed run of one cell: one row of samples.csv.
///
/// Times are integer nanoseconds per post (the sample's total ÷ `iterations`); counts are per sample, over all its
/// iterations. `nil` means unknown and is written as an empty cell, never as 0. The meaning of each value is
/// documented once, in ``columns``.
public struct Sample: Sendable, Hashable {
  public var run: String
  public var generation: Int
  public var round: Int
  public var position: Int
  public var contender: String
  public var scenario: String
  public var pattern: String
  public var service: String
  public var fanOut: Int
  public var inFlightLimit: Int?
  public var payloadBytes: Int
  public var iterations: Int
  public var outcome: Outcome
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

  public init(
    run: String, generation: Int, round: Int, position: Int, contender: String, scenario: String,
    pattern: String, service: String, fanOut: Int, inFlightLimit: Int? = nil, payloadBytes: Int,
    iterations: Int, outcome: Outcome, reason: String? = nil, wallNanoseconds: Int? = nil,
    cpuUserNanoseconds: Int? = nil, cpuSystemNanoseconds: Int? = nil, voluntarySwitches: Int? = nil,
    involuntarySwitches: Int? = nil, minorFaults: Int? = nil, allocations: Int? = nil,
    allocatedBytes: Int? = nil, retains: Int? = nil, releases: Int? = nil, peakThreads: Int? = nil,
    peakRSSBytes: Int? = nil, idealNanoseconds: Int? = nil, uploadsStarted: Int? = nil,
    uploadsFinished: Int? = nil, uploadsCancelled: Int? = nil, peakInFlight: Int? = nil,
    posts: Int? = nil, stealNanoseconds: Int? = nil, pressureNanoseconds: Int? = nil,
    dropped: DropReason? = nil, failureToCompletionNanoseconds: Int? = nil,
    failureToStopNanoseconds: Int? = nil, startsAfterFailure: Int? = nil, wastedBytes: Int? = nil,
    heartbeatWorstNanoseconds: Int? = nil, objects: Int? = nil,
    machine: String? = nil, inFlightBytes: Int? = nil, postsBefore: Int? = nil
  ) {
    self.run = run
    self.generation = generation
    self.round = round
    self.position = position
    self.contender = contender
    self.scenario = scenario
    self.pattern = pattern
    self.service = service
    self.fanOut = fanOut
    self.inFlightLimit = inFlightLimit
    self.payloadBytes = payloadBytes
    self.iterations = iterations
    self.outcome = outcome
    self.reason = reason
    self.wallNanoseconds = wallNanoseconds
    self.cpuUserNanoseconds = cpuUserNanoseconds
    self.cpuSystemNanoseconds = cpuSystemNanoseconds
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
    self.minorFaults = minorFaults
    self.allocations = allocations
    self.allocatedBytes = allocatedBytes
    self.retains = retains
    self.releases = releases
    self.peakThreads = peakThreads
    self.peakRSSBytes = peakRSSBytes
    self.idealNanoseconds = idealNanoseconds
    self.uploadsStarted = uploadsStarted
    self.uploadsFinished = uploadsFinished
    self.uploadsCancelled = uploadsCancelled
    self.peakInFlight = peakInFlight
    self.posts = posts
    self.stealNanoseconds = stealNanoseconds
    self.pressureNanoseconds = pressureNanoseconds
    self.dropped = dropped
    self.failureToCompletionNanoseconds = failureToCompletionNanoseconds
    self.failureToStopNanoseconds = failureToStopNanoseconds
    self.startsAfterFailure = startsAfterFailure
    self.wastedBytes = wastedBytes
    self.heartbeatWorstNanoseconds = heartbeatWorstNanoseconds
    self.objects = objects
    self.machine = machine
    self.inFlightBytes = inFlightBytes
    self.postsBefore = postsBefore
  }
}
