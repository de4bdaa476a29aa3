import UploadScenario

extension SampleReply {
  /// Adds what the service saw of one post.
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

  /// Adds how one post stopped; moments on one clock, those that come first count as the failure's own.
  mutating func addStop(from failure: UInt64, completion: UInt64, stop: UInt64) {
    var times = stopping ?? StoppingTimes()
    times.toCompletionNanoseconds += max(completion, failure) - failure
    times.toStopNanoseconds += max(stop, failure) - failure
    stopping = times
  }
}

extension LedgerRecord {
  /// The bytes that arrived whole and are no part of a post, given those of each request.
  func wastedBytes(of byteCounts: [Int], _ scenario: Scenario) -> Int {
    let arrived = zip(requests, byteCounts).map { $0.finished * $1 }
    let total = arrived.reduce(0, +)
    if posts.isEmpty || scenario.pattern.looksUp { return total }
    // Of the requests for one upload one is needed, the largest: all of a chain's, whose others carry nothing.
    let lanes = scenario.pattern.requestsPerUpload
    let needed = stride(from: 0, to: arrived.count, by: lanes).reduce(0) { sum, first in
      sum + (byteCounts[first..<min(first + lanes, byteCounts.count)].max() ?? 0)
    }
    return max(0, total - needed)
  }
}

extension Expectation {
  /// How long after its start the job is to end because it takes too long; nil if it does not.
  var deadlineNanoseconds: UInt64? {
    guard ending == .deadline, let deadline = scenario.retry.deadline else { return nil }
    return UInt64(max(0, deadline / .nanoseconds(1)))
  }
}
