import Results

package final class BenchmarkWorker<Work: Workload>: Worker {
  private let clock: HarnessClock
  private let makeBody: (Work) throws -> BenchmarkBody
  private let slowDown: (Work) -> SlowDown?
  private let plant: PlantedWork
  private var bodies: [String: BenchmarkBody] = [:]
  private var knownIdleNanoseconds: [String: Double] = [:]
  /// An iteration that takes longer than this needs no warm-up.
  private let longNanoseconds: UInt64 = 100_000_000
  private var lastNanoseconds: [String: UInt64] = [:]
  private lazy var emptyPart = BenchmarkMeter.emptyPart(clock)

  /// - Parameters:
  ///   - slowDown: the share by which each sample is made longer, to test whether slow-downs are detected.
  ///   - plant: known work that is added to each unit of work while counters are on, to test whether they detect it.
  ///   - body: makes the body of each case once, including its set-up. `run` rethrows the errors of this closure.
  package init(
    clock: HarnessClock = .monotonic, slowDown: @escaping (Work) -> SlowDown? = { _ in nil },
    plant: PlantedWork = PlantedWork(), body: @escaping (Work) throws -> BenchmarkBody
  ) {
    self.clock = clock
    self.slowDown = slowDown
    self.plant = plant
    makeBody = body
  }

  package func run(_ request: SampleRequest<Work>) throws -> SampleReply {
    let body = try body(of: request.scenario)
    if request.purpose == .time { Counters.stayOff() }
    let canResetMemory = PeakMemory.reset()
    let disturbance = Disturbance.now()
    if request.purpose == .memory {
      var (reply, bytes) = PeakMemory.growth { time(request, body) }
      reply.inFlightBytes = bytes
      return reply
    }
    // An untimed iteration warms the caches, because a short sample would end before it has warmed them.
    var reply = SampleReply(outcome: .measured, iterations: 0)
    if request.iterations > 1 || lastNanoseconds[request.scenario.name, default: 0] < longNanoseconds {
      reply = time(SampleRequest(scenario: request.scenario, iterations: 1), body)
    }
    if reply.outcome == .measured {
      switch request.purpose {
      case .time, .memory: reply = lengthened(request, body)
      case .profile: reply = profile(request, body)
      case .allocations: reply = countAllocations(request, body)
      }
    }
    reply.disturbance = Disturbance.now().since(disturbance)
    reply.peakRSSBytes = canResetMemory ? PeakMemory.bytes() : nil
    return reply
  }

  private func body(of work: Work) throws -> BenchmarkBody {
    let body = try bodies[work.name] ?? makeBody(work)
    bodies[work.name] = body
    return body
  }

  private func time(_ request: SampleRequest<Work>, _ body: BenchmarkBody, counts: Bool = false)
    -> SampleReply
  {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    let meter = BenchmarkMeter(clock, counts: counts)
    do {
      if let fault = try body.perform(request.iterations, meter) { reply.fail(.wrong, fault) }
    } catch {
      reply.fail(.failed, "ended with an error: \(error)")
    }
    meter.stop()
    reply.iterations = meter.iterations ?? request.iterations
    (reply.usage, reply.wallNanoseconds) = (meter.usage, meter.nanoseconds)
    if meter.parts > 1 {
      let parts = UInt64(meter.parts)
      reply.usage.subtract(emptyPart.processorNanoseconds * parts)
      // The meter's own time is subtracted, but at least one nanosecond for each timed part remains.
      reply.wallNanoseconds -= min(
        emptyPart.nanoseconds * parts, reply.wallNanoseconds - min(parts, reply.wallNanoseconds))
    }
    lastNanoseconds[request.scenario.name] = reply.wallNanoseconds / UInt64(max(1, reply.iterations))
    return reply
  }

  private func lengthened(_ request: SampleRequest<Work>, _ body: BenchmarkBody) -> SampleReply {
    var reply = time(request, body)
    refuseIdleness(of: request.scenario, body, &reply)
    guard let slowDown = slowDown(request.scenario), reply.outcome == .measured else { return reply }
    let added = slowDown.wholePosts(of: request.iterations)
    if added > 0 {
      let more = time(SampleRequest(scenario: request.scenario, iterations: added), body)
      guard more.outcome == .measured else { return more }
      reply.wallNanoseconds += more.wallNanoseconds
      reply.usage.add(more.usage)
    }
    slowDown.lengthen(&reply, added: added, clock)
    return reply
  }

  /// Fails a benchmark that takes no longer than an empty body, since the optimiser must have removed the benchmark's work.
  private func refuseIdleness(of work: Work, _ body: BenchmarkBody, _ reply: inout SampleReply) {
    let own = Double(reply.wallNanoseconds) / Double(max(1, reply.iterations))
    // Not checked: iterations above 200 ns, which do real work, and short samples, which mostly read the clock.
    guard own < 200, reply.iterations >= 2_000, let performIdle = body.idle else { return }
    // The time of an empty body varies by a fifth, and more on a busy machine, so the smallest of up to forty is used.
    var idle = knownIdleNanoseconds[work.name] ?? .infinity
    for _ in 0..<40 where own < 1.3 * idle {
      let meter = BenchmarkMeter(clock)
      do { _ = try performIdle(2_000, meter) } catch { return }
      idle = min(idle, Double(meter.nanoseconds) / Double(meter.iterations ?? 2_000))
    }
    knownIdleNanoseconds[work.name] = idle
    if own < 1.3 * idle {
      reply.fail(
        .wrong,
        "takes hardly longer than an empty body, \(Int(idle.rounded())) ns: the optimiser has removed it, or it is too short to measure. Return its result, or repeat it in the body and give the number as `throughput:`"
      )
    }
  }

  private func countAllocations(_ request: SampleRequest<Work>, _ body: BenchmarkBody) -> SampleReply {
    var (reply, counts) = Counters.countPieces {
      var reply = time(request, body, counts: true)
      let meter = BenchmarkMeter(clock, counts: true)
      meter.start()
      plant.perform(times: request.iterations * request.scenario.fanOut)
      meter.stop()
      reply.usage.add(meter.usage)
      return reply
    }
    if reply.outcome == .measured { reply.counts = counts }
    return reply
  }

  private func profile(_ request: SampleRequest<Work>, _ body: BenchmarkBody) -> SampleReply {
    var reply = countAllocations(request, body)
    guard reply.outcome == .measured else { return reply }
    let threads = ThreadSampler.peak { time(request, body) }
    guard threads.0.outcome == .measured else { return threads.0 }
    reply.peakThreads = threads.1
    return reply
  }
}
