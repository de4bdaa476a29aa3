import Results

/// Takes samples of a contender that implements operations of a runtime.
package final class OperationWorker<Work: Workload>: Worker {
  /// Does the work once; returns its answer.
  package typealias Implementation = () throws -> Int

  private let clock: HarnessClock
  private let implementation: (Work) throws -> Implementation
  private let answer: (Work) -> Int

  /// - Parameter answer: what the work must answer each time.
  package init(
    clock: HarnessClock = .monotonic, answer: @escaping (Work) -> Int,
    implementation: @escaping (Work) throws -> Implementation
  ) {
    self.clock = clock
    self.implementation = implementation
    self.answer = answer
  }

  /// Does the work once to warm up and then `iterations` times. If it does not end, the parent ends the process.
  package func run(_ request: SampleRequest<Work>) throws -> SampleReply {
    let perform = try implementation(request.scenario)
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
      case .profile: reply = profile(request, perform)
      case .allocations: reply = countAllocations(request, perform)
      }
    }
    reply.disturbance = Disturbance.now().since(disturbance)
    reply.peakRSSBytes = canResetMemory ? PeakMemory.bytes() : nil
    return reply
  }

  private func time(_ request: SampleRequest<Work>, _ perform: Implementation) -> SampleReply {
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

  private func countAllocations(_ request: SampleRequest<Work>, _ perform: Implementation) -> SampleReply {
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

  private func profile(_ request: SampleRequest<Work>, _ perform: Implementation) -> SampleReply {
    var reply = countAllocations(request, perform)
    guard reply.outcome == .measured else { return reply }
    let threads = ThreadSampler.peak { time(request, perform) }
    guard threads.0.outcome == .measured else { return threads.0 }
    reply.peakThreads = threads.1
    return reply
  }
}
