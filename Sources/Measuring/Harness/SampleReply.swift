import Results
import UploadScenario

/// What a worker process measured in a sample. All values are totals over its iterations.
package struct SampleReply: WorkerReply, Hashable {
  package var outcome: Outcome
  package var reason: String?
  package var iterations: Int
  /// The sum of the times from each start to its completion.
  package var wallNanoseconds: UInt64 = 0
  package var usage = ResourceUsage()
  package var disturbance = Disturbance()
  /// The maximum resident memory of the process, or `nil` where the system does not report it.
  package var peakRSSBytes: Int?
  package var peakThreads: Int?
  package var counts: Counts?
  /// The growth of resident memory during the work, up to its maximum. Only for ``SamplePurpose/memory``.
  package var inFlightBytes: Int?
  /// The minimum possible duration. For posts that must end early: the time until their failure or cancellation.
  package var idealNanoseconds: UInt64?
  /// The times that posts took to stop after a failure or cancellation. `nil` if none had to stop early.
  package var stopping: StoppingTimes?
  /// The longest delay of the contender's repeating timer. Only for ``SamplePurpose/profile``.
  package var heartbeatWorstNanoseconds: UInt64?
  /// The number of low-priority posts that ended before the measured one, or `nil` if there were none.
  package var postsBefore: Int?
  package var uploads: UploadCounts?

  /// Whether no time is above ten days in nanoseconds, and no count is above that number.
  package var isPlausible: Bool {
    let most = 864_000_000_000_000
    let times = [
      wallNanoseconds, usage.cpuUserNanoseconds, usage.cpuSystemNanoseconds,
      idealNanoseconds ?? 0, heartbeatWorstNanoseconds ?? 0, stopping?.toCompletionNanoseconds ?? 0,
      stopping?.toStopNanoseconds ?? 0, disturbance.stealNanoseconds ?? 0,
      disturbance.pressureNanoseconds ?? 0,
    ]
    let sizes = [
      iterations, usage.voluntarySwitches, usage.involuntarySwitches, usage.minorFaults, peakRSSBytes ?? 0,
      peakThreads ?? 0, inFlightBytes ?? 0, postsBefore ?? 0, counts?.allocations ?? 0,
      counts?.allocatedBytes ?? 0, counts?.retains ?? 0, counts?.releases ?? 0, counts?.objects ?? 0,
      uploads?.started ?? 0, uploads?.finished ?? 0, uploads?.cancelled ?? 0, uploads?.peakInFlight ?? 0,
      uploads?.posts ?? 0, uploads?.startsAfterFailure ?? 0, uploads?.wastedBytes ?? 0,
    ]
    return times.allSatisfy { $0 <= UInt64(most) } && sizes.allSatisfy { (0...most).contains($0) }
  }

  package init(outcome: Outcome, reason: String? = nil, iterations: Int) {
    (self.outcome, self.reason, self.iterations) = (outcome, reason, iterations)
  }

  package init(outcome: Outcome, reason: String?) {
    self.init(outcome: outcome, reason: reason, iterations: 0)
  }
}

package struct UploadCounts: Codable, Sendable, Hashable {
  package var started = 0
  package var finished = 0
  package var cancelled = 0
  /// The maximum number of requests in flight of one post (a job of uploads).
  package var peakInFlight = 0
  package var posts = 0
  /// The number of requests made after a failure was reported or the post was cancelled.
  package var startsAfterFailure = 0
  /// The bytes that the service received but the post did not use.
  package var wastedBytes = 0
}

/// The times that posts took to stop after a failure or cancellation, summed over a sample.
package struct StoppingTimes: Codable, Sendable, Hashable {
  package var toCompletionNanoseconds: UInt64 = 0
  package var toStopNanoseconds: UInt64 = 0
}

extension SampleReply {
  /// Fails a sample that is faster than the service's answers allow. The tolerance is for the timing of the service's threads.
  mutating func failIfTooFast(_ nanoseconds: UInt64, _ idealNanoseconds: UInt64?) {
    guard let ideal = idealNanoseconds, nanoseconds + ideal / 100 + 50_000 < ideal else { return }
    fail(.wrong, "took \(nanoseconds) ns, less than the \(ideal) ns that the service's own answers take")
  }

  mutating func add(_ record: LedgerRecord, wastedBytes: Int) {
    var total = uploads ?? UploadCounts()
    for counts in record.requests {
      total.started += counts.started
      total.finished += counts.finished
      total.cancelled += counts.cancelled
    }
    total.peakInFlight = max(total.peakInFlight, record.peakInFlight)
    total.posts += record.posts.count
    total.startsAfterFailure += record.startsAfterFailure
    total.wastedBytes += wastedBytes
    uploads = total
  }

  /// Adds the times at which one post (a job of uploads) stopped, all from one clock. A time before the failure counts as 0.
  mutating func addStop(from failure: UInt64, completion: UInt64, stop: UInt64) {
    var times = stopping ?? StoppingTimes()
    times.toCompletionNanoseconds += max(completion, failure) - failure
    times.toStopNanoseconds += max(stop, failure) - failure
    stopping = times
  }
}

extension LedgerRecord {
  func wastedBytes(of byteCounts: [Int], _ scenario: Scenario) -> Int {
    let total = zip(requests, byteCounts).reduce(0) { $0 + $1.0.finished * $1.1 }
    if posts.isEmpty || scenario.pattern.looksUp { return total }
    // If rival requests, or requests in a chain, serve one upload, the post needs the bytes of only the largest one.
    let lanes = scenario.pattern.requestsPerUpload
    let count = min(requests.count, byteCounts.count)
    let needed = stride(from: 0, to: count, by: lanes).reduce(0) { sum, first in
      sum + (byteCounts[first..<min(first + lanes, byteCounts.count)].max() ?? 0)
    }
    return max(0, total - needed)
  }
}

extension Expectation {
  /// The time from a post's start to its deadline, or `nil` if it has none.
  var deadlineNanoseconds: UInt64? {
    guard ending == .deadline, let deadline = scenario.retry.deadline else { return nil }
    return UInt64(max(0, deadline / .nanoseconds(1)))
  }
}

extension Ledger {
  convenience init(of scenario: Scenario, _ clock: HarnessClock) {
    self.init(
      requestCount: scenario.requestCount, rivals: scenario.pattern.races ? 2 : 1,
      nanoseconds: clock.nanoseconds)
  }
}

extension Sample {
  /// A row of samples.csv. `counted` is the reply to the request to count, if there was one.
  init(_ reply: SampleReply, counted: SampleReply?, to request: SampleRequest<some Workload>) {
    self.init()
    iterations = reply.iterations > 0 ? reply.iterations : request.iterations
    scenario = request.scenario.name
    fanOut = request.scenario.fanOut
    request.scenario.describe(&self)
    outcome = reply.outcome
    reason = reply.reason
    guard outcome == .measured else { return }
    let posts = UInt64(iterations)
    wallNanoseconds = Int(reply.wallNanoseconds / posts)
    cpuUserNanoseconds = Int(reply.usage.cpuUserNanoseconds / posts)
    cpuSystemNanoseconds = Int(reply.usage.cpuSystemNanoseconds / posts)
    voluntarySwitches = reply.usage.voluntarySwitches
    involuntarySwitches = reply.usage.involuntarySwitches
    minorFaults = reply.usage.minorFaults
    allocations = counted?.inWhole(\.allocations, of: iterations)
    allocatedBytes = counted?.inWhole(\.allocatedBytes, of: iterations)
    retains = counted?.inWhole(\.retains, of: iterations)
    releases = counted?.inWhole(\.releases, of: iterations)
    objects = counted?.inWhole(\.objects, of: iterations)
    inFlightBytes = counted?.inFlightBytes
    peakThreads = counted?.peakThreads
    heartbeatWorstNanoseconds = counted?.heartbeatWorstNanoseconds.map(Int.init)
    peakRSSBytes = reply.peakRSSBytes
    idealNanoseconds = reply.idealNanoseconds.map { Int($0 / posts) }
    uploadsStarted = reply.uploads?.started
    uploadsFinished = reply.uploads?.finished
    uploadsCancelled = reply.uploads?.cancelled
    peakInFlight = reply.uploads?.peakInFlight
    self.posts = reply.uploads?.posts
    startsAfterFailure = reply.uploads?.startsAfterFailure
    wastedBytes = reply.uploads?.wastedBytes
    stealNanoseconds = reply.disturbance.stealNanoseconds.map(Int.init)
    pressureNanoseconds = reply.disturbance.pressureNanoseconds.map(Int.init)
    failureToCompletionNanoseconds = reply.stopping.map { Int($0.toCompletionNanoseconds / posts) }
    failureToStopNanoseconds = reply.stopping.map { Int($0.toStopNanoseconds / posts) }
    postsBefore = reply.postsBefore.map { $0 / iterations }
  }
}

extension SampleReply {
  /// Scales a count to `posts` posts, since fewer posts may have been counted than were timed.
  fileprivate func inWhole(_ count: KeyPath<Counts, Int?>, of posts: Int) -> Int? {
    counts?[keyPath: count].map { $0 * posts / max(1, iterations) }
  }
}
