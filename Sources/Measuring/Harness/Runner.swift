import Results
import UploadScenario

/// Runs a plan: each generation has new worker processes, a warm-up, and rounds with a sample of each contender.
package final class Runner<Work: Workload> {
  private let plan: RunPlan<Work>
  private let pool: WorkerPool<SampleRequest<Work>>
  private let clock: HarnessClock
  private let record: (Sample) throws -> Void
  private let beforeGeneration: (Int) -> Void
  private let settled: () -> Set<CellKey>
  private let progress: (RunProgress) -> Void

  private var others: OtherProcesses
  private let start: UInt64
  private var excluded: Set<CellKey> = []
  private var settledCells: Set<CellKey> = []
  private var settlingNanoseconds: UInt64 = 0
  /// Scenarios with a post that takes longer than a second and than the budget. Contenders get one cold and one measured
  /// sample.
  private var tooLong: Set<String> = []
  /// Whether contenders with a precise enough result get no more samples in this generation.
  private var sitOut = false
  private var lengths: SampleLengths<Work>
  private var counts: [CellKey: SampleReply] = [:]
  private var undisturbedRounds: [String: Int] = [:]
  private var forecast: RunForecast<Work>
  private var position = RunForecast<Work>.Position()
  private var phase: String?
  private var reported: UInt64?
  private var sampleCount = 0
  /// The time spent waiting for workers that did not answer, which the budget does not include.
  private var lostNanoseconds: UInt64 = 0

  /// - Parameters:
  ///   - isInterrupted: called before each sample. Returns whether the user ended the run.
  ///   - beforeGeneration: called with each generation's number, from 0, while no worker runs.
  ///   - settled: returns the contenders and scenarios whose result is precise enough. Called between rounds, while nothing is
  ///     timed. They still get ``RunPlan/roundsOfSettled`` rounds in each of the first ``RunPlan/generationsOfSettled``
  ///     generations.
  ///   - progress: called up to five times a second, on the thread that runs the plan.
  ///   - record: called with every sample after its round. If `record` throws, the run ends.
  package init(
    plan: RunPlan<Work>, launcher: @escaping WorkerLauncher<SampleRequest<Work>>,
    clock: HarnessClock = .monotonic,
    files: MachineFiles = .here, isInterrupted: @escaping () -> Bool = { false },
    beforeGeneration: @escaping (Int) -> Void = { _ in },
    settled: @escaping () -> Set<CellKey> = { [] },
    progress: @escaping (RunProgress) -> Void = { _ in },
    record: @escaping (Sample) throws -> Void
  ) {
    self.plan = plan
    lengths = SampleLengths(plan)
    forecast = RunForecast(plan)
    pool = WorkerPool(launcher, isInterrupted: isInterrupted)
    self.clock = clock
    self.beforeGeneration = beforeGeneration
    self.settled = settled
    self.progress = progress
    self.record = record
    others = OtherProcesses(files, clock: clock)
    start = clock.nanoseconds()
  }

  package func run() throws -> Bool {
    defer { pool.stop() }
    if plan.scenarios.isEmpty { return true }
    for generation in 0..<plan.generations {
      sitOut = generation >= plan.generationsOfSettled
      position.generation = generation
      pool.stop()
      beforeGeneration(generation)
      counts = [:]
      guard try warmUp(generation: generation), try count(generation: generation) else { return false }
      pool.lookForDescendants()
      guard try measure(generation: generation) else { return false }
      pool.lookForDescendants()
      try refuseMisconduct(generation: generation)
      for scenario in plan.scenarios where tooLong.contains(scenario.name) {
        excluded.formUnion(cells(of: scenario))
      }
    }
    return true
  }

  // MARK: The parts of a generation

  private func warmUp(generation: Int) throws -> Bool {
    begin(.warmUp)
    for scenario in plan.scenarios where isOpen(scenario) {
      turn(of: scenario, phase: "warm-up")
      let schedule = schedule(for: scenario, generation: generation)
      for repetition in 0..<(generation == 0 ? plan.warmUpSamples : min(2, plan.warmUpSamples))
      where repetition == 0 || !tooLong.contains(scenario.name) {
        guard
          try takeTurns(
            scenario, order: schedule.order(round: repetition), generation: generation, round: repetition,
            dropped: .warmUp)
        else { return false }
      }
    }
    return true
  }

  /// Counts allocations, apart from timed samples because counting makes work slower.
  private func count(generation: Int) throws -> Bool {
    guard generation < plan.countedGenerations else { return true }
    begin(.counting)
    for scenario in plan.scenarios where !tooLong.contains(scenario.name) {
      turn(of: scenario, phase: "counting")
      for cell in cells(of: scenario) where !excluded.contains(cell) {
        let contender = cell.contender
        // Short work is repeated, so that one-time set-up adds little to each count.
        let iterations = scenario.ownsProcess ? min(16, lengths.iterations(of: cell)) : 1
        let request = request(
          scenario, iterations: iterations, purpose: generation == 0 ? .profile : .allocations)
        let begin = clock.nanoseconds()
        guard var reply = ask(contender, request) else { return false }
        forecast.learn(.counting, cell, nanoseconds: clock.nanoseconds() - begin, from: reply)
        // Memory is measured only once, because that needs a new process.
        if reply.outcome == .measured, generation == 0 {
          guard measureMemory(contender, scenario, into: &reply) else { return false }
        }
        counts[cell] = reply
        if reply.outcome != .measured {
          excluded.insert(cell)
          try record(sample(reply, request, contender: contender, generation: generation))
        }
      }
    }
    return true
  }

  private func measure(generation: Int) throws -> Bool {
    let spent = clock.nanoseconds() - start - lostNanoseconds
    let left = plan.budgetNanoseconds > spent ? plan.budgetNanoseconds - spent : 0
    let share = left / UInt64(plan.generations - generation)
    let (begin, lost) = (clock.nanoseconds(), lostNanoseconds)
    /// Whether half a round still fits into this generation's share of the budget, so that runs keep the budget on average.
    func hasTime(for scenario: Work) -> Bool {
      let used = Double(clock.nanoseconds() - begin - (lostNanoseconds - lost))
      return used < Double(share) && used + turnNanoseconds(.rounds, scenario, generation) / 2 < Double(share)
    }
    let schedules = plan.scenarios.map { schedule(for: $0, generation: generation) }
    var generator = SeededGenerator(seed: plan.seed &+ UInt64(generation))
    var round = 0
    repeat {
      round += 1
      self.begin(.rounds, round: round, end: begin + (lostNanoseconds - lost) + share)
      for index in plan.scenarios.indices.shuffled(using: &generator) {
        let scenario = plan.scenarios[index]
        if !isOpen(scenario) || round > 1 && tooLong.contains(scenario.name)
          || plan.rounds == nil && round > 1 && owedRounds(scenario, generation: generation) == 0
            && !hasTime(for: scenario)
        {
          continue
        }
        turn(of: scenario)
        let order = schedules[index].order(round: round)
        // Round numbers include the warm-up rounds, which come first.
        let number = plan.warmUpSamples + round - 1
        guard try takeTurns(scenario, order: order, generation: generation, round: number) else {
          return false
        }
      }
      if plan.rounds == nil { settle() }
      if round >= plan.roundsOfSettled { sitOut = true }
    } while goesOn(generation: generation, after: round, hasTime: hasTime)
    return true
  }

  /// Looks up which results are precise enough, unless these look-ups have taken more than 1 ms and 2 % of the run's time.
  private func settle() {
    let begin = clock.nanoseconds()
    if settlingNanoseconds > max(1_000_000, (begin - start) / 50) { return }
    settledCells = settled()
    settlingNanoseconds += clock.nanoseconds() - begin
  }

  private func goesOn(generation: Int, after round: Int, hasTime: (Work) -> Bool) -> Bool {
    if let rounds = plan.rounds { return round < rounds }
    if plan.scenarios.contains(where: { isOpen($0) && !tooLong.contains($0.name) && hasTime($0) }) {
      return true
    }
    // The limit for a noisy machine: three times the rounds that a quiet machine needs.
    let most = 3 * ((plan.leastRounds + plan.generations - 1) / plan.generations)
    return round < most && plan.scenarios.contains { owedRounds($0, generation: generation) > 0 }
  }

  /// The number of undisturbed rounds that a scenario still lacks in a generation.
  private func owedRounds(_ scenario: Work, generation: Int) -> Int {
    if tooLong.contains(scenario.name) { return 0 }
    return max(0, plan.owedRounds(by: generation) - undisturbedRounds[scenario.name, default: 0])
  }

  private func isOpen(_ scenario: Work) -> Bool { cells(of: scenario).contains(where: isOpen) }

  private func cells(of scenario: Work) -> [CellKey] {
    plan.contenders(of: scenario).map { CellKey(contender: $0, scenario: scenario.name) }
  }

  private func isOpen(_ cell: CellKey) -> Bool {
    !excluded.contains(cell) && !(sitOut && settledCells.contains(cell))
  }

  /// Leaves a contender out whose worker broke a rule, such as starting a process, in any scenario or after its last sample.
  private func refuseMisconduct(generation: Int) throws {
    for scenario in plan.scenarios {
      for cell in cells(of: scenario) {
        guard let reason = pool.misconduct(of: cell.contender, in: scenario), excluded.insert(cell).inserted
        else { continue }
        let reply = SampleReply(outcome: .wrong, reason: reason)
        try record(sample(reply, request(scenario), contender: cell.contender, generation: generation))
      }
    }
  }

  // MARK: One round of one scenario

  /// Takes and records one sample of every contender, in order. Returns false if the run was interrupted.
  private func takeTurns(
    _ scenario: Work, order: [Int], generation: Int, round: Int, dropped: DropReason? = nil
  ) throws -> Bool {
    let contenders = plan.contenders(of: scenario)
    var taken: [(sample: Sample, reply: SampleReply)] = []
    var wasInterrupted = false
    let before = others.reading(workers: pool.processorNanoseconds)
    for (position, index) in order.enumerated() {
      // An index after the last contender means the second sample of the reference.
      let contender = index < contenders.count ? contenders[index] : plan.twice[scenario.name] ?? ""
      let cell = CellKey(contender: contender, scenario: scenario.name)
      if !isOpen(cell) || dropped != nil && index == contenders.count { continue }
      // If a sample is a single post, further warm-up is skipped.
      if dropped != nil, round > (generation == 0 ? 1 : 0), lengths.iterations(of: cell) == 1 { continue }
      if dropped == nil { rewarm(cell, scenario) }
      let isCold = dropped != nil && round == 0
      let request = isCold ? request(scenario) : lengths.request(cell, scenario)
      report()
      let begin = clock.nanoseconds()
      guard let reply = ask(contender, request) else {
        wasInterrupted = true
        break
      }
      forecast.learn(
        isCold ? .cold : dropped == nil ? .sample : .warm, cell, nanoseconds: clock.nanoseconds() - begin,
        from: reply)
      if dropped != nil {
        _ = pool.isNew(contender, scenario)
        if generation == 0 { lengths.learn(cell, scenario, from: reply) }
        if isCold, plan.rounds == nil, reply.wallNanoseconds > max(plan.budgetNanoseconds, 1_000_000_000) {
          tooLong.insert(scenario.name)
        }
      }
      if reply.outcome != .measured { excluded.insert(cell) }
      let sample = sample(
        reply, request, contender: contender, generation: generation, round: round, position: position)
      taken.append((sample, reply))
    }
    // The CPU time of a worker that was killed is unknown.
    let isWhole = taken.allSatisfy { $0.reply.outcome == .measured }
    let after = others.reading(workers: isWhole ? pool.processorNanoseconds : nil)
    let isBurst = others.isDisturbed(scenario.name, from: before, to: after, by: plan.dropRule)
    func isDisturbed(_ reply: SampleReply) -> Bool {
      reply.outcome == .measured && (isBurst || plan.dropRule.isDisturbed(reply))
    }
    if dropped == nil, 2 * taken.count(where: { isDisturbed($0.reply) }) < taken.count {
      undisturbedRounds[scenario.name, default: 0] += 1
    }
    for (var sample, reply) in taken {
      // A failure counts even during the warm-up.
      sample.dropped = sample.outcome == .measured ? dropped ?? (isDisturbed(reply) ? .disturbed : nil) : nil
      try record(sample)
      sampleCount += 1
    }
    return !wasInterrupted
  }

  /// Warms up a worker that replaced a failed one.
  private func rewarm(_ cell: CellKey, _ scenario: Work) {
    guard pool.isNew(cell.contender, scenario) else { return }
    for repetition in 0..<min(2, plan.warmUpSamples) {
      let request = repetition == 0 ? request(scenario) : lengths.request(cell, scenario)
      guard ask(cell.contender, request)?.outcome == .measured else { return }
    }
  }

  private func request(_ scenario: Work, iterations: Int = 1, purpose: SamplePurpose = .time)
    -> SampleRequest<Work>
  {
    SampleRequest(
      scenario: scenario, iterations: iterations, purpose: purpose,
      timeoutNanoseconds: plan.timeoutNanoseconds)
  }

  /// Adds the memory of a post, measured in a new worker. Returns false if the run was interrupted.
  private func measureMemory(_ contender: String, _ scenario: Work, into reply: inout SampleReply) -> Bool {
    guard let held = scenario.forMemory else { return true }
    let begin = clock.nanoseconds()
    guard let memory = ask(contender, request(held, purpose: .memory), fresh: true) else { return false }
    forecast.learn(
      .memory, CellKey(contender: contender, scenario: scenario.name),
      nanoseconds: clock.nanoseconds() - begin,
      from: memory)
    reply.inFlightBytes = memory.inFlightBytes
    return true
  }

  private func ask(_ contender: String, _ request: SampleRequest<Work>, fresh: Bool = false) -> SampleReply? {
    let begin = clock.nanoseconds()
    let reply = fresh ? pool.askFresh(contender, request) : pool.ask(contender, request)
    if reply?.outcome == .timedOut { lostNanoseconds += clock.nanoseconds() - begin }
    return reply
  }

  private func schedule(for scenario: Work, generation: Int) -> Schedule {
    let index = plan.scenarios.firstIndex(of: scenario) ?? 0
    let contenders = plan.contenders(of: scenario)
    return Schedule(
      contenderCount: contenders.count + (plan.twice[scenario.name].map(contenders.contains) == true ? 1 : 0),
      seed: SeededGenerator.value(seed: plan.seed, index: generation << 16 | index))
  }

  // MARK: Progress

  private func begin(_ part: RunForecast<Work>.Part, round: Int = 1, end: UInt64 = 0) {
    (position.part, position.round, position.end, position.done) = (part, round, end, [])
    position.scenario = ""
  }

  private func turn(of scenario: Work, phase: String? = nil) {
    position.done.insert(position.scenario)
    (position.scenario, position.begin, self.phase) = (scenario.name, clock.nanoseconds(), phase)
    report()
  }

  private func turnNanoseconds(_ part: RunForecast<Work>.Part, _ scenario: Work, _ generation: Int) -> Double
  {
    let isBrief = tooLong.contains(scenario.name)
    if isBrief, generation > position.generation { return 0 }
    return forecast.turn(
      part, scenario, cells(of: scenario).filter(isOpen), generation: generation, lengths: lengths,
      isBrief: isBrief)
  }

  /// Reports progress at most five times a second, since a forecast takes some tenths of a millisecond.
  private func report() {
    let now = clock.nanoseconds()
    if let reported, now - reported < 200_000_000 { return }
    reported = now
    let spent = Double(now - start)
    let left = forecast.nanosecondsLeft(
      at: position, now: now, spent: spent - Double(lostNanoseconds), undisturbed: undisturbedRounds,
      turn: turnNanoseconds)
    var progress = RunProgress(
      scenario: position.scenario, samples: sampleCount, phase: phase, fraction: spent / max(spent + left, 1))
    let isKnown = plan.scenarios.allSatisfy { scenario in
      cells(of: scenario).filter(isOpen).allSatisfy { forecast.knows($0, of: scenario) }
    }
    if plan.rounds == nil, isKnown || spent > Double(plan.budgetNanoseconds),
      let longest = forecast.longestPost
    {
      let turns = RunForecast<Work>.Part.allCases.flatMap { part in
        plan.scenarios.map { turnNanoseconds(part, $0, position.generation) }
      }
      progress.forecast = RunProgress.Forecast(
        nanoseconds: spent + left, longestPost: longest.cell, longestPostNanoseconds: longest.nanoseconds,
        generationNanoseconds: turns.reduce(0, +))
    }
    self.progress(progress)
  }

  /// - Parameter round: `nil` means the first measured round.
  private func sample(
    _ reply: SampleReply, _ request: SampleRequest<Work>, contender: String, generation: Int,
    round: Int? = nil, position: Int = 0
  ) -> Sample {
    let cell = CellKey(contender: contender, scenario: request.scenario.name)
    var sample = Sample(reply, counted: counts[cell], to: request)
    sample.run = plan.run
    sample.generation = generation
    sample.round = round ?? plan.warmUpSamples
    sample.position = position
    sample.contender = contender
    return sample
  }
}
