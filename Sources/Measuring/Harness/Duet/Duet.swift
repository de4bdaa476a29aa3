import Results
import UploadScenario

/// Runs two builds side by side: many pairs of fresh processes, which take their samples by turns in random order.
///
/// It cannot judge: whoever listens says of each pair whether its cell is decided. A decided cell leaves the rotation,
/// so that the time goes where the doubt is.
public final class Duet<Work: Workload> {
  private let plan: DuetPlan<Work>
  private let launchers: [DuetSide: any WorkerLauncher<Work>]
  private let clock: HarnessClock
  private let isInterrupted: () -> Bool
  /// Whether the cell needs no further pair.
  private let listen: (DuetEvent) throws -> Bool

  private var generator: SeededGenerator
  private var undecided: [String: [Work]]
  private var pairCounts: [Cell: Int] = [:]
  private var iterations: [Cell: Int] = [:]

  private struct Cell: Hashable {
    let contender: String
    let scenario: String
  }

  /// Why a sample is none.
  private enum Stop: Error {
    case interrupted
    case failed(DuetSide, Outcome, String)
  }

  /// - Parameters:
  ///   - plan: which cells, how, and for how long.
  ///   - base: starts the build that the other one is held against.
  ///   - candidate: starts the build that is asked about.
  ///   - clock: tells when the budget is used up.
  ///   - isInterrupted: asked before each sample.
  ///   - listen: is told of every pair and failure, and says whether its cell is decided; what it throws ends the duet. A
  ///     cell that failed leaves the rotation whatever it says.
  public init(
    plan: DuetPlan<Work>, base: any WorkerLauncher<Work>, candidate: any WorkerLauncher<Work>,
    clock: HarnessClock = .monotonic, isInterrupted: @escaping () -> Bool = { false },
    listen: @escaping (DuetEvent) throws -> Bool
  ) {
    self.plan = plan
    launchers = [.base: base, .candidate: candidate]
    self.clock = clock
    self.isInterrupted = isInterrupted
    self.listen = listen
    generator = SeededGenerator(seed: plan.seed)
    undecided = Dictionary(uniqueKeysWithValues: plan.contenders.map { ($0, plan.scenarios(of: $0)) })
  }

  /// Runs until every cell is decided or the budget is used up. Each undecided cell has equally many pairs, or one more.
  public func run() throws -> DuetEnding {
    let end = clock.nanoseconds() + plan.budgetNanoseconds
    while true {
      let contenders = plan.contenders.filter { !undecided[$0, default: []].isEmpty }
      if contenders.isEmpty { return .decided }
      for contender in contenders.shuffled(using: &generator) {
        if clock.nanoseconds() >= end { return .outOfTime }
        guard try takePairs(of: contender) else { return .interrupted }
      }
    }
  }

  /// A pair of each of the contender's undecided cells, from one pair of processes; false if the user ended it.
  private func takePairs(of contender: String) throws -> Bool {
    let workers = Workers(contender: contender, launchers)
    defer { workers.stop() }
    workers.start()
    for scenario in undecided[contender, default: []] {
      let event: DuetEvent
      do {
        event = .pair(try pair(of: contender, scenario, on: workers))
      } catch Stop.interrupted {
        return false
      } catch Stop.failed(let side, let outcome, let reason) {
        event = .failure(
          DuetFailure(
            contender: contender, scenario: scenario.name, side: side, outcome: outcome, reason: reason))
        workers.stop()
      }
      var isDecided = try listen(event)
      if case .failure = event { isDecided = true }
      if isDecided { undecided[contender]?.removeAll { $0 == scenario } }
    }
    return true
  }

  private func pair(of contender: String, _ scenario: Work, on workers: Workers) throws -> DuetPair {
    let cell = Cell(contender: contender, scenario: scenario.name)
    for _ in 0..<plan.warmUpSamples {
      let replies = try takeTurns(
        SampleRequest(scenario: scenario, iterations: iterations[cell] ?? 1), on: workers)
      if iterations[cell] == nil { iterations[cell] = iterations(of: scenario, replies) }
    }
    let request = SampleRequest(scenario: scenario, iterations: iterations[cell] ?? 1)
    var times: [DuetSide: [Double]] = [:]
    var disturbed = 0
    // On a machine that is disturbed all the time a pair ends with what it has.
    for _ in 0..<2 * plan.samples where times[.base, default: []].count < plan.samples {
      let replies = try takeTurns(request, on: workers)
      if replies.values.contains(where: { plan.dropRule.isDisturbed($0, earlierPreemptions: []) }) {
        disturbed += 1
        continue
      }
      for (side, reply) in replies { times[side, default: []].append(time(of: reply)) }
    }
    let number = pairCounts[cell, default: 0]
    pairCounts[cell] = number + 1
    return DuetPair(
      contender: contender, scenario: scenario.name, number: number, base: times[.base] ?? [],
      candidate: times[.candidate] ?? [], disturbed: disturbed)
  }

  /// A sample of each side, in random order.
  private func takeTurns(_ request: SampleRequest<Work>, on workers: Workers) throws -> [DuetSide:
    SampleReply]
  {
    var replies: [DuetSide: SampleReply] = [:]
    for side in DuetSide.allCases.shuffled(using: &generator) {
      if isInterrupted() { throw Stop.interrupted }
      let reply: SampleReply
      do throws(WorkerFailure) {
        reply = try workers.worker(of: side).run(request)
      } catch {
        switch error {
        case .interrupted: throw Stop.interrupted
        case .silent: throw Stop.failed(side, .timedOut, error.description)
        default: throw Stop.failed(side, .failed, error.description)
        }
      }
      guard reply.outcome == .measured else {
        throw Stop.failed(side, reply.outcome, reply.reason ?? reply.outcome.rawValue)
      }
      replies[side] = reply
    }
    return replies
  }

  /// As often as makes a sample of the faster side long enough; the same for both.
  private func iterations(of scenario: Work, _ replies: [DuetSide: SampleReply]) -> Int {
    let fastest = max(1, replies.values.map(\.wallNanoseconds).min() ?? 1)
    return Int(max(1, min((plan.sampleNanoseconds + fastest - 1) / fastest, UInt64(scenario.mostIterations))))
  }

  private func time(of reply: SampleReply) -> Double {
    let nanoseconds =
      switch plan.measure {
      case .cost: reply.usage.cpuNanoseconds
      case .wall: reply.wallNanoseconds
      }
    return Double(nanoseconds) / Double(max(1, reply.iterations))
  }

  /// The two processes of a pair, each started when it is first needed.
  private final class Workers {
    private let contender: String
    private let launchers: [DuetSide: any WorkerLauncher<Work>]
    private var running: [DuetSide: any WorkerHandle<Work>] = [:]

    init(contender: String, _ launchers: [DuetSide: any WorkerLauncher<Work>]) {
      self.contender = contender
      self.launchers = launchers
    }

    /// Lets both get ready at the same time; what fails here fails again, and is told, when a sample is wanted.
    func start() {
      for side in DuetSide.allCases { _ = try? worker(of: side) }
    }

    func worker(of side: DuetSide) throws(WorkerFailure) -> any WorkerHandle<Work> {
      if let worker = running[side] { return worker }
      let worker = try launchers[side]!.launch(contender: contender)
      running[side] = worker
      return worker
    }

    func stop() {
      for worker in running.values { worker.stop() }
      running = [:]
    }
  }
}
