import Results

extension Sample {
  /// What a worker answered, where each column of samples.csv gets its value from.
  ///
  /// - Parameter counted: the answers of the passes that count; nil if there were none.
  init<Work>(_ reply: SampleReply, counted: SampleReply?, to request: SampleRequest<Work>) {
    self.init()
    iterations = reply.iterations > 0 ? reply.iterations : request.iterations
    scenario = request.scenario.name
    let columns = request.scenario.columns
    pattern = columns.pattern
    service = columns.service
    fanOut = columns.fanOut
    inFlightLimit = columns.inFlightLimit
    payloadBytes = columns.payloadBytes
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
  /// What was counted in so many posts: a counting pass may be of fewer than a timed sample.
  fileprivate func inWhole(_ count: KeyPath<Counts, Int?>, of posts: Int) -> Int? {
    counts?[keyPath: count].map { $0 * posts / max(1, iterations) }
  }
}
