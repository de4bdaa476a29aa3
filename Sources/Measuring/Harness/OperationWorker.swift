import Results

/// Takes samples of a contender that performs operations of a runtime.
public final class OperationWorker<Work: Workload>: Worker {
  /// One performance of the work; returns its answer.
  public typealias Performance = () throws -> Int

  private let clock: HarnessClock
  private let performance: (Work) throws -> Performance
  private let answer: (Work) -> Int

  /// - Parameters:
  ///   - clock: by which performances are timed.
  ///   - answer: what each performance must answer.
  ///   - performance: who performs the work; what it throws is what `run` throws.
  public init(
    clock: HarnessClock = .monotonic, answer: @escaping (Work) -> Int,
    performance: @escaping (Work) throws -> Performance
  ) {
    self.clock = clock
    self.performance = performance
    self.answer = answer
  }

  /// Performs the work once to warm up and then `iterations` times. An endless performance is left to the parent, which ends the process.
  public func run(_ request: SampleRequest<Work>) throws -> SampleReply {
    let perform = try performance(request.scenario)
    if request.purpose == .time { Counters.stayOff() }
    let canResetMemory = PeakMemory.reset()
    let disturbance = Disturbance.now()
    if request.purpose == .memory {
      var (reply, bytes) = PeakMemory.growth { time(request, perform) }
      reply.inFlightBytes = bytes
      return reply
    }
    // Beside a rival that is a thousand times slower, the fast have samples too short to bring their caches back.
    var reply = time(SampleRequest(scenario: request.scenario, iterations: 1), perform)
    if reply.outcome == .measured {
      switch request.purpose {
      case .time, .memory: reply = time(request, perform)
      case .count: reply = count(request, perform)
      case .tally: reply = tally(request, perform)
      }
    }
    reply.disturbance = Disturbance.now().since(disturbance)
    reply.peakRSSBytes = canResetMemory ? PeakMemory.bytes() : nil
    return reply
  }

  private func time(_ request: SampleRequest<Work>, _ perform: Performance) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    let expected = answer(request.scenario)
    for _ in 0..<request.iterations where reply.outcome == .measured {
      let usage = ResourceUsage.now()
      let start = clock.nanoseconds()
      let result = Result { try perform() }
      let end = clock.nanoseconds()
      reply.usage.add(from: usage, to: .now())
      reply.wallNanoseconds += end - start
      switch result {
      case .success(expected): break
      case .success(let other): reply.fail(.wrong, "answered \(other), expected \(expected)")
      case .failure(let error): reply.fail(.failed, "ended with an error: \(error)")
      }
    }
    return reply
  }

  private func tally(_ request: SampleRequest<Work>, _ perform: () throws -> Int) -> SampleReply {
    var (reply, counts) = Counters.count(settle: OtherThreads.waitUntilTheySleep) {
      time(request) {
        Counters.setThreadCounted(true)
        defer { Counters.setThreadCounted(false) }
        return try perform()
      }
    }
    if reply.outcome == .measured { reply.counts = counts }
    return reply
  }

  private func count(_ request: SampleRequest<Work>, _ perform: Performance) -> SampleReply {
    var reply = tally(request, perform)
    guard reply.outcome == .measured else { return reply }
    let threads = ThreadSampler.peak { time(request, perform) }
    guard threads.0.outcome == .measured else { return threads.0 }
    reply.peakThreads = threads.1
    return reply
  }
}
