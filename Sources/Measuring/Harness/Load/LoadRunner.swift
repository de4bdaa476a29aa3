import Results
import Synchronization
import UploadScenario

/// Measures contenders under load, each in its own process. Measurements are short and interleaved in balanced order, so that a
/// disturbance affects all contenders equally.
package final class LoadRunner {
  private let plan: LoadPlan
  private let pool: WorkerPool<LoadRequest>
  private var excluded: Set<CellKey> = []

  /// - Parameter isInterrupted: called before each measurement. Returns whether the user ended the run.
  package init(
    _ plan: LoadPlan, launcher: @escaping WorkerLauncher<LoadRequest>,
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.plan = plan
    pool = WorkerPool(launcher, isInterrupted: isInterrupted)
  }

  /// Measures round after round until `offer` returns `nil` for all contenders and scenarios. Returns false if interrupted. A
  /// contender that failed in a scenario is left out of it.
  ///
  /// - Parameters:
  ///   - offer: returns the load for a contender in a scenario and round. `nil` means none in this round or later.
  ///   - record: called after every measurement. If it throws, the run ends.
  package func run(
    offer: (CellKey, _ round: Int) -> LoadOffer?, record: (TakenWindow) throws -> Void
  ) throws -> Bool {
    defer { pool.stop() }
    var finished: Set<CellKey> = []
    var round = 0
    while true {
      var wasBusy = false
      for (index, scenario) in plan.scenarios.enumerated() {
        let names = plan.contenders(of: scenario)
        let schedule = Schedule(
          contenderCount: names.count, seed: SeededGenerator.value(seed: plan.seed, index: index))
        for (position, place) in schedule.order(round: round).enumerated() {
          let cell = CellKey(contender: names[place], scenario: scenario.name)
          if finished.contains(cell) || excluded.contains(cell) { continue }
          guard let offer = offer(cell, round) else {
            finished.insert(cell)
            continue
          }
          wasBusy = true
          guard let reply = take(offer, of: scenario, cell, round: round) else { return false }
          try record(
            TakenWindow(cell: cell, offer: offer, round: round, position: position, reply: reply))
        }
      }
      if !wasBusy { return true }
      round += 1
    }
  }

  /// Measures one window of load, after a warm-up if the worker process is new. Returns `nil` if the user interrupted the run.
  private func take(_ offer: LoadOffer, of scenario: Scenario, _ cell: CellKey, round: Int) -> LoadReading? {
    var request = LoadRequest(
      scenario: scenario, schedule: plan.schedule, postsPerSecond: offer.postsPerSecond,
      windowNanoseconds: min(plan.warmUpNanoseconds, offer.windowNanoseconds),
      seed: SeededGenerator.value(seed: plan.seed, index: round), mostPosts: plan.mostPosts)
    if pool.isNew(cell.contender, scenario) {
      guard let reply = ask(cell, request) else { return nil }
      // A failure counts even if it occurs during the warm-up.
      if reply.outcome != .measured { return reply }
    }
    request.windowNanoseconds = offer.windowNanoseconds
    return ask(cell, request)
  }

  private func ask(_ cell: CellKey, _ request: LoadRequest) -> LoadReading? {
    guard let reply = pool.ask(cell.contender, request) else { return nil }
    if reply.outcome != .measured { excluded.insert(cell) }
    // A process that was overloaded may keep threads and memory, which would affect its next measurement.
    if reply.outcome != .measured || reply.isFull || reply.posts.givenUp > 0 {
      pool.end(cell.contender, request.scenario)
    }
    return reply
  }
}

/// One of the posts in flight, with a ledger (record of requests) and a service. Only the load generator's thread uses it.
final class LoadSlot {
  let service: any UploadService
  let post: PostInFlight<EndedPosts.Place>
  var intended: UInt64 = 0
  var handle: (any Cancellable)?

  init(ledger: Ledger, service: any UploadService, clock: HarnessClock, place: EndedPosts.Place) {
    self.service = service
    post = PostInFlight(ledger: ledger, clock: clock, listener: place)
  }
}

/// Passes ended posts (jobs of uploads) from any thread to the load generator's thread: a lock-free stack (Treiber, 1986).
final class EndedPosts: Sendable {
  /// Detects the end of a post, when its completion is called or is released without a call.
  struct Place: PostListener {
    let list: EndedPosts
    let slot: Int

    func postEnded() { list.push(slot) }

    func completionReleased(wasCalled: Bool) { if !wasCalled { list.push(slot) } }
  }

  private final class Link: Sendable {
    /// The index of the post that ended before this one. −1 means that there is none.
    let next = Atomic<Int>(-1)
  }

  /// The index of the post that ended last. −1 means that there is none.
  private let head = Atomic<Int>(-1)
  private let links: [Link]

  init(slotCount: Int) { links = (0..<slotCount).map { _ in Link() } }

  private func push(_ slot: Int) {
    var first = head.load(ordering: .relaxed)
    while true {
      links[slot].next.store(first, ordering: .relaxed)
      let attempt = head.weakCompareExchange(
        expected: first, desired: slot, successOrdering: .releasing, failureOrdering: .relaxed)
      if attempt.exchanged { return }
      first = attempt.original
    }
  }

  func drain(_ body: (Int) -> Void) {
    guard head.load(ordering: .relaxed) >= 0 else { return }
    var slot = head.exchange(-1, ordering: .acquiring)
    while slot >= 0 {
      let next = links[slot].next.load(ordering: .relaxed)
      body(slot)
      slot = next
    }
  }
}
