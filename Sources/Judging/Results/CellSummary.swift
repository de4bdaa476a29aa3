/// What the samples of one cell (contender × scenario) amount to: one row of summary.csv.
///
/// `nil` means unknown and is written as an empty cell: a cell without a measured sample has no number at all.
/// The meaning of each value is documented once, in ``columns``.
public struct CellSummary: Sendable, Hashable {
  public var run: String
  public var contender: String
  public var scenario: String
  public var pattern: String
  public var service: String
  public var fanOut: Int
  public var inFlightLimit: Int?
  public var payloadBytes: Int
  public var samples: Int
  public var dropped: Int
  public var outcome: Outcome
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

  public init(
    run: String, contender: String, scenario: String, pattern: String, service: String, fanOut: Int,
    inFlightLimit: Int? = nil, payloadBytes: Int, samples: Int, dropped: Int, outcome: Outcome,
    medianNanoseconds: Double? = nil, medianLowNanoseconds: Double? = nil,
    medianHighNanoseconds: Double? = nil, p90Nanoseconds: Double? = nil, p99Nanoseconds: Double? = nil,
    nanosecondsPerUpload: Double? = nil, overheadNanosecondsPerUpload: Double? = nil,
    reference: String? = nil, ratio: Double? = nil, ratioLow: Double? = nil, ratioHigh: Double? = nil,
    rankGroup: Int? = nil, efficiency: Double? = nil, cpuNanosecondsPerUpload: Double? = nil,
    switchesPerUpload: Double? = nil, allocationsPerUpload: Double? = nil,
    retainsPerUpload: Double? = nil, peakThreads: Int? = nil, peakRSSBytes: Int? = nil,
    sourceLines: Int? = nil, failureToCompletionNanoseconds: Double? = nil,
    failureToStopNanoseconds: Double? = nil, startsAfterFailure: Double? = nil, wastedBytes: Double? = nil,
    heartbeatWorstNanoseconds: Int? = nil, verdict: Verdict? = nil, isWithinMargin: Bool? = nil,
    roundsToResolve: Int? = nil, unresolvedReason: String? = nil, disturbedRounds: Int? = nil,
    rankProbabilities: RankProbabilities? = nil,
    objectsPerUpload: Double? = nil, machine: String? = nil, bytesPerSecond: Double? = nil,
    bytesPerUpload: Double? = nil,
    faultsPerUpload: Double? = nil,
    voluntarySwitchesPerUpload: Double? = nil, involuntarySwitchesPerUpload: Double? = nil,
    allocatedBytesPerUpload: Double? = nil, releasesPerUpload: Double? = nil, exactCounts: ExactCounts? = nil,
    countRanges: CountRanges? = nil,
    postsBefore: Double? = nil
  ) {
    self.run = run
    self.contender = contender
    self.scenario = scenario
    self.pattern = pattern
    self.service = service
    self.fanOut = fanOut
    self.inFlightLimit = inFlightLimit
    self.payloadBytes = payloadBytes
    self.samples = samples
    self.dropped = dropped
    self.outcome = outcome
    self.medianNanoseconds = medianNanoseconds
    self.medianLowNanoseconds = medianLowNanoseconds
    self.medianHighNanoseconds = medianHighNanoseconds
    self.p90Nanoseconds = p90Nanoseconds
    self.p99Nanoseconds = p99Nanoseconds
    self.nanosecondsPerUpload = nanosecondsPerUpload
    self.overheadNanosecondsPerUpload = overheadNanosecondsPerUpload
    self.reference = reference
    self.ratio = ratio
    self.ratioLow = ratioLow
    self.ratioHigh = ratioHigh
    self.rankGroup = rankGroup
    self.efficiency = efficiency
    self.cpuNanosecondsPerUpload = cpuNanosecondsPerUpload
    self.switchesPerUpload = switchesPerUpload
    self.allocationsPerUpload = allocationsPerUpload
    self.retainsPerUpload = retainsPerUpload
    self.peakThreads = peakThreads
    self.peakRSSBytes = peakRSSBytes
    self.sourceLines = sourceLines
    self.failureToCompletionNanoseconds = failureToCompletionNanoseconds
    self.failureToStopNanoseconds = failureToStopNanoseconds
    self.startsAfterFailure = startsAfterFailure
    self.wastedBytes = wastedBytes
    self.heartbeatWorstNanoseconds = heartbeatWorstNanoseconds
    self.verdict = verdict
    self.isWithinMargin = isWithinMargin
    self.roundsToResolve = roundsToResolve
    self.unresolvedReason = unresolvedReason
    self.disturbedRounds = disturbedRounds
    self.rankProbabilities = rankProbabilities
    self.objectsPerUpload = objectsPerUpload
    self.machine = machine
    self.bytesPerSecond = bytesPerSecond
    self.bytesPerUpload = bytesPerUpload
    self.faultsPerUpload = faultsPerUpload
    self.voluntarySwitchesPerUpload = voluntarySwitchesPerUpload
    self.involuntarySwitchesPerUpload = involuntarySwitchesPerUpload
    self.allocatedBytesPerUpload = allocatedBytesPerUpload
    self.releasesPerUpload = releasesPerUpload
    self.exactCounts = exactCounts
    self.countRanges = countRanges
    self.postsBefore = postsBefore
  }
}
