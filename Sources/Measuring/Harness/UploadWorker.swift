import CProbes
import RawThreads
import Results
import UploadScenario

/// Measures posts (jobs of uploads) of one contender.
package final class UploadWorker: Worker {
  private struct Place {
    let bench: Bench
    let ledger: Ledger
    let service: any UploadService
    let backgroundPosts: BackgroundPosts?
    /// The number of the service's threads before the first post.
    let threads: Int
  }

  private let setup: UploadSetup
  private let clock: HarnessClock
  private let slowDown: (Scenario) -> SlowDown?
  private let plant: PlantedWork
  /// Records the start and the end of each post.
  var recorder: PostRecorder?
  private var places: [Scenario: Place] = [:]
  /// The scenarios whose one-time set-up is done by an earlier post.
  private var warm: Set<Scenario> = []
  private var overlapping: [Scenario: OverlappingPosts] = [:]
  /// Memory that the next record reuses. A new large array for each post would make the allocator return the contender's freed
  /// memory to the system, so that the next post has to map it again.
  private var lastRequests: [LedgerRecord.Counts]?

  /// - Parameter plant: known work that is added to each upload while counting.
  package init(
    _ setup: UploadSetup, slowDown: @escaping (Scenario) -> SlowDown? = { _ in nil },
    plant: PlantedWork = PlantedWork()
  ) {
    (self.setup, clock, self.slowDown, self.plant) = (setup, setup.clock, slowDown, plant)
  }

  package func run(_ request: SampleRequest<Scenario>) throws -> SampleReply {
    let place = try place(for: request.scenario)
    if request.scenario.overlap != nil, request.scenario.problem == nil {
      try makeRoom(for: request, place.bench)
    }
    if request.purpose == .time { Counters.stayOff() }
    let canResetMemory = PeakMemory.reset()
    let disturbance = Disturbance.now()
    var reply: SampleReply
    switch request.purpose {
    case .time: reply = publishAll(request, place)
    case .profile: reply = profile(request, place)
    case .allocations: reply = countAllocations(request, place)
    case .memory: reply = try publishForMemory(request, place)
    }
    if place.backgroundPosts == nil { reply.disturbance = Disturbance.now().since(disturbance) }
    reply.peakRSSBytes = canResetMemory ? PeakMemory.bytes() : nil
    return reply
  }

  private func place(for scenario: Scenario) throws -> Place {
    if let place = places[scenario] { return place }
    let bench = try setup.bench(for: scenario)
    let ledger = Ledger(of: scenario, clock)
    let threads = ThreadSampler.threadCount() ?? 0
    let service = try setup.services(for: bench, [ledger])[0]
    let place = Place(
      bench: bench, ledger: ledger, service: service,
      backgroundPosts: scenario.behind > 0 && scenario.problem == nil
        ? try BackgroundPosts(setup, ahead: bench) : nil,
      threads: max(0, (ThreadSampler.threadCount() ?? 0) - threads))
    places[scenario] = place
    return place
  }

  /// Prepares the overlapping posts of a sample.
  private func makeRoom(for request: SampleRequest<Scenario>, _ bench: Bench) throws {
    let scenario = request.scenario
    let added = slowDown(scenario)?.wholePosts(of: request.iterations) ?? 0
    let capacity = max(request.iterations, request.unmeasured ?? 0, added)
    if let known = overlapping[scenario], known.capacity >= capacity { return }
    overlapping[scenario] = try OverlappingPosts(setup, bench, capacity: capacity)
  }

  private func publishAll(_ request: SampleRequest<Scenario>, _ place: Place) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    // A failure of an untimed post fails the sample.
    var unmeasured = reply
    publish(request.unmeasured ?? 0, request, place, into: &unmeasured)
    (reply.outcome, reply.reason) = (unmeasured.outcome, unmeasured.reason)
    ServiceClass.releaseHeirs()
    let slowDown = slowDown(request.scenario)
    let added = slowDown?.wholePosts(of: request.iterations) ?? 0
    publish(request.iterations, request, place, into: &reply)
    var more = SampleReply(outcome: reply.outcome, reason: reply.reason)
    publish(added, request, place, into: &more)
    (reply.outcome, reply.reason) = (more.outcome, more.reason)
    // The posts that were added to slow the sample down count in its times, but not in its numbers of requests.
    reply.wallNanoseconds += more.wallNanoseconds
    reply.usage.add(more.usage)
    if reply.outcome == .measured {
      warm.insert(request.scenario)
      slowDown?.lengthen(&reply, added: added, clock)
    }
    return reply
  }

  private func publish(
    _ times: Int, _ request: SampleRequest<Scenario>, _ place: Place, into reply: inout SampleReply
  ) {
    guard let posts = overlapping[request.scenario] else {
      for _ in 0..<times where reply.outcome == .measured { publishOnce(request, place, into: &reply) }
      return
    }
    if reply.outcome == .measured {
      posts.publish(times, request.purpose, timeoutNanoseconds: timeout(request, place), into: &reply)
    }
  }

  private func timeout(_ request: SampleRequest<Scenario>, _ place: Place) -> UInt64 {
    request.timeoutNanoseconds.map { $0 * request.purpose.slowness }
      ?? request.scenario.timeoutNanoseconds(idealNanoseconds: place.bench.idealNanoseconds)
  }

  /// Counts allocations and references of the contender and the service, without those of the harness.
  private func countAllocations(_ request: SampleRequest<Scenario>, _ place: Place) -> SampleReply {
    // With background posts nothing is counted, since their allocations cannot be separated from the measured post's.
    if place.backgroundPosts != nil { return publishAll(request, place) }
    // The first post includes one-time set-up, so it is not counted.
    if !warm.contains(request.scenario) {
      var first = SampleReply(outcome: .measured, iterations: 1)
      publish(1, request, place, into: &first)
      guard first.outcome == .measured else { return first }
    }
    var (reply, counts) = Counters.count(settle: OtherThreads.waitUntilTheySleep) {
      publishAll(request, place)
    }
    if reply.outcome == .measured { reply.counts = counts }
    return reply
  }

  /// Counts allocations, then threads, then measures the timer lag: one after another, since each disturbs the others.
  private func profile(_ request: SampleRequest<Scenario>, _ place: Place) -> SampleReply {
    var reply = countAllocations(request, place)
    guard reply.outcome == .measured else { return reply }
    var request = request
    // The following samples count no allocations, but keep the longer timeout of counting.
    request.timeoutNanoseconds = request.timeoutNanoseconds.map { $0 * request.purpose.slowness }
    request.purpose = .time
    let threads = ThreadSampler.peak { publishAll(request, place) }
    guard threads.0.outcome == .measured else { return threads.0 }
    if request.scenario.watchesHeartbeat {
      let (lagged, worst) = TimerLag.worst(of: place.bench.contender, clock: clock) {
        publishAll(request, place)
      }
      guard lagged.outcome == .measured else { return lagged }
      reply.heartbeatWorstNanoseconds = worst
    }
    // Threads of other scenarios' services are in this process, too, but do not count.
    let others = places.filter { $0.key != request.scenario }.reduce(0) { $0 + $1.value.threads }
    reply.peakThreads = threads.1.map { $0 - others }
    return reply
  }

  /// Measures the growth of memory during one post, in a new process, since earlier posts leave stacks and tasks behind.
  private func publishForMemory(_ request: SampleRequest<Scenario>, _ place: Place) throws -> SampleReply {
    var request = request
    request.iterations = 1
    if let small = request.scenario.ofOneUpload {
      let smallRequest = SampleRequest(
        scenario: small, iterations: 1, timeoutNanoseconds: request.timeoutNanoseconds)
      let first = publishAll(smallRequest, try self.place(for: small))
      guard first.outcome == .measured else { return first }
    }
    machine_give_back_free_memory()
    guard let before = PeakMemory.residentBytes(), PeakMemory.reset() else {
      return SampleReply(outcome: .measured, iterations: 1)
    }
    var reply = publishAll(request, place)
    reply.inFlightBytes = reply.inFlightBytes.map { max(0, $0 - before) }
    return reply
  }

  private func publishOnce(_ request: SampleRequest<Scenario>, _ place: Place, into reply: inout SampleReply)
  {
    let (scenario, bench) = (request.scenario, place.bench)
    let timeout = timeout(request, place)
    place.backgroundPosts?.start()
    let run = PostInFlight(ledger: place.ledger, clock: clock, listener: Parker())
    var completion: Completion? = recorder?.begin(run.open()) ?? run.open()
    let disturbance = place.backgroundPosts.map { _ in Disturbance.now() }
    let usage = ResourceUsage.now()
    // Allocations of this thread count as the contender's only while this thread starts the post.
    let isCounted = request.purpose.isCounted

    if isCounted { Counters.setThreadCounted(true) }
    let start = clock.nanoseconds()
    var handle: (any Cancellable)? = bench.contender.start(
      scenario, post: bench.post, service: place.service, completion: completion.take()!)
    if isCounted { Counters.setThreadCounted(false) }
    recorder?.hasStarted(at: start)
    place.backgroundPosts?.release()
    var cancelled: UInt64?
    if let delay = scenario.cancelAfter?.unsignedNanoseconds {
      if run.waitForCompletion(untilNanoseconds: start + delay) {
        // If the post ended after `delay`, this thread had no processor to cancel it in time: no fault of the contender.
        let late = (run.ending?.nanoseconds ?? start) > start + delay
        reply.fail(
          .failed,
          late
            ? "the post could not be cancelled in time: \(WorkerFailure.starvation)"
            : "the job ended before it was cancelled: cancel earlier, or upload more")
      }
      cancelled = clock.nanoseconds()
      place.ledger.stop()
      if isCounted { Counters.setThreadCounted(true) }
      handle?.cancel()
      if isCounted { Counters.setThreadCounted(false) }
    }
    let deadline = start + timeout
    guard run.waitForCompletion(untilNanoseconds: deadline), let ending = run.ending else {
      let limit =
        timeout >= 10_000_000_000 || timeout % 1_000_000_000 == 0
        ? "\(timeout / 1_000_000_000) s" : "\(timeout / 1_000_000) ms"
      reply.fail(.timedOut, "no completion within \(limit)")
      return
    }
    if isCounted { Counters.setThreadCounted(true) }
    handle = nil
    if isCounted {
      plant.perform(times: scenario.fanOut)
      Counters.setThreadCounted(false)
    }
    let remains = run.waitUntilQuiet(untilNanoseconds: deadline)
    reply.usage.add(since: usage)
    if let disturbance { reply.disturbance = Disturbance.now().since(disturbance) }
    // Memory is read now, before the harness itself allocates.
    if request.purpose == .memory { reply.inFlightBytes = PeakMemory.bytes() }

    reply.wallNanoseconds += ending.nanoseconds - start
    let record = place.ledger.record(reusing: lastRequests.take() ?? [])
    lastRequests = record.requests
    reply.add(record, wastedBytes: record.wastedBytes(of: bench.byteCounts, scenario))
    // A post that must end early takes at least the time until its failure or cancellation.
    let failure = cancelled ?? record.firstFailureNanoseconds
    if let bound = failure.map({ $0 - start }) ?? bench.idealNanoseconds {
      reply.idealNanoseconds = (reply.idealNanoseconds ?? 0) + bound
    }
    if let failure = failure ?? bench.expectation.deadlineNanoseconds.map({ start + $0 }) {
      let stop = max(ending.nanoseconds, record.lastStopNanoseconds ?? 0, run.releaseNanoseconds ?? 0)
      reply.addStop(from: failure, completion: ending.nanoseconds, stop: stop)
    }
    if let fault = run.fault(bench.expectation, record) { reply.fail(fault.outcome, fault.reason) }
    if failure == nil, bench.expectation.ending == .publication {
      reply.failIfTooFast(ending.nanoseconds - start, bench.idealNanoseconds)
    }
    if let remains { reply.fail(.wrong, "something is left: \(remains)") }
    place.backgroundPosts?.end(endedBefore: ending.nanoseconds, untilNanoseconds: deadline, into: &reply)
  }
}

/// What a worker needs in order to upload: the contender, the clock, and closures that make posts and services.
package struct UploadSetup {
  /// Makes one service for each ledger, in which the service records its requests. The services share their threads.
  package typealias MakeServices = (Scenario, Post, [Ledger]) throws -> [any UploadService]

  let contender: any Contender
  let clock: HarnessClock
  let makePost: (Scenario) throws -> Post
  var makeServices: MakeServices

  /// - Parameters:
  ///   - makePost: makes a scenario's post, or reads it from a folder.
  ///   - makeServices: called once for each scenario, like `makePost`.
  package init(
    _ contender: any Contender, clock: HarnessClock = .monotonic,
    makePost: @escaping (Scenario) throws -> Post = { $0.syntheticPost }, makeServices: @escaping MakeServices
  ) {
    (self.contender, self.clock) = (contender, clock)
    (self.makePost, self.makeServices) = (makePost, makeServices)
  }

  /// - Parameter post: `nil` means the scenario's own post.
  func bench(for scenario: Scenario, _ post: Post? = nil) throws -> Bench {
    let post = try post ?? makePost(scenario)
    return Bench(
      contender: contender, scenario: scenario, post: post,
      expectation: try Expectation(scenario: scenario, post: post),
      byteCounts: scenario.byteCounts(for: post), idealNanoseconds: scenario.idealNanoseconds(for: post))
  }

  func services(for bench: Bench, _ ledgers: [Ledger]) throws -> [any UploadService] {
    try makeServices(bench.scenario, bench.post, ledgers)
  }
}

/// What the posts of a scenario have in common, and the expectation with which each is compared.
struct Bench {
  let contender: any Contender
  let scenario: Scenario
  let post: Post
  let expectation: Expectation
  /// The number of bytes that each request of a post sends, in the order of the requests' indices.
  let byteCounts: [Int]
  let idealNanoseconds: UInt64?
}
