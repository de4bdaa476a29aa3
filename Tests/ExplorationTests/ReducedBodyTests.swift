import TestSupport
import Testing

@testable import Exploration

/// Tasks that share only actors: what the reduced search skips leads to nothing new.
@Suite(.ownThread(minutes: 20)) struct ReducedBodyTests {
  private enum Operation {
    case append, update, wait, signal, forward, yield, sleep, cancel, spawn
    static let all: [Operation] = [
      .append, .append, .update, .update, .wait, .signal, .forward, .yield, .sleep, .cancel, .spawn,
    ]
  }

  private actor Cell {
    private(set) var log: [Int] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var signals = 0

    func append(_ number: Int) { log.append(number) }
    func wait() async {
      if signals > 0 { return }
      await withCheckedContinuation { waiting.append($0) }
      log.append(-1)
    }
    func signal() {
      signals += 1
      for one in waiting { one.resume() }
      waiting = []
    }
    func forward(_ number: Int, to other: Cell) async {
      let count = log.count
      await other.append(number * 10 + count)
      log.append(number)
    }
    func spawn(_ number: Int) -> Task<Void, Never> { Task { self.append(number) } }
  }

  private struct Program: CustomStringConvertible {
    let tasks: [[(operation: Operation, cell: Int)]]
    let isStructured: Bool

    init(_ seed: UInt64) {
      var generator = SeededNumbers(seed: seed)
      let count = 2 + (generator.next() % 4 == 0 ? 1 : 0)
      tasks = (0..<count).map { _ in
        (0..<(1 + Int(generator.next() % (count == 2 ? 2 : 1)))).map { _ in
          (Operation.all.randomElement(using: &generator)!, Int(generator.next() % 2))
        }
      }
      isStructured = generator.next() % 3 > 0
    }

    var description: String { "\(tasks) \(isStructured ? "children" : "tasks")" }

    /// Passes the cells' final states to `end`.
    func body(_ exploration: ScheduleContext, _ end: @escaping @Sendable ([[Int]]) -> Void) async {
      let cells = [Cell(), Cell()]
      let isDoomed = tasks.joined().contains { $0.operation == .cancel }
      let doomed = Task { if isDoomed { try? await exploration.clock.sleep(for: .seconds(2)) } }
      @Sendable func run(_ number: Int) async {
        for (operation, cell) in tasks[number] {
          switch operation {
          case .append: await cells[cell].append(number)
          case .update:
            let log = await cells[cell].log
            await cells[cell].append(log.count * 100 + number)
          case .wait: await cells[cell].wait()
          case .signal: await cells[cell].signal()
          case .forward: await cells[cell].forward(number, to: cells[1 - cell])
          case .yield: await Task.yield()
          case .sleep: try? await exploration.clock.sleep(for: .seconds(1))
          case .cancel: doomed.cancel()
          case .spawn: await cells[cell].spawn(number).value
          }
        }
      }
      if isStructured {
        await withTaskGroup(of: Void.self) { group in
          for number in tasks.indices { group.addTask { await run(number) } }
        }
      } else {
        let unstructured = tasks.indices.map { number in Task { await run(number) } }
        for task in unstructured { await task.value }
      }
      end([await cells[0].log, await cells[1].log, [doomed.isCancelled ? 1 : 0]])
      doomed.cancel()
    }

    /// nil: more schedules than `most`, or one in which a task waits forever.
    func outcomes(isReduced: Bool, most: Int) -> (outcomes: Set<[[Int]]>, schedules: Int)? {
      let outcomes = Guarded<Set<[[Int]]>>([])
      let run = BodyRun(
        { exploration in await body(exploration) { end in outcomes.withLock { _ = $0.insert(end) } } },
        .standard)
      let search = Search(.exhaustive(reduced: isReduced))
      while search.begin() {
        let problem = run.run(search)
        // Each schedule that waits forever costs 2 ms.
        if problem == BodyRun.stuck, !isReduced { return nil }
        #expect(problem == nil, "\(self)")
        if search.schedules > most { return nil }
      }
      #expect(!search.hasDiverged, "\(self)")
      return (outcomes.withLock(\.self), search.schedules - search.redundant)
    }
  }

  @Test func `a reduced search has the results of all schedules`() {
    var (programs, all, reduced, seed) = (0, 0, 0, UInt64(0))
    while programs < Effort.count(5, thorough: 500) {
      seed += 1
      let program = Program(seed)
      guard let plain = program.outcomes(isReduced: false, most: 2_000) else { continue }
      guard let fewer = program.outcomes(isReduced: true, most: .max) else { continue }
      #expect(plain.outcomes == fewer.outcomes, "seed \(seed): \(program)")
      if fewer.schedules > plain.schedules { print(program, plain.schedules, fewer.schedules) }
      #expect(fewer.schedules <= plain.schedules, "seed \(seed): \(program)")
      (programs, all, reduced) = (programs + 1, all + plain.schedules, reduced + fewer.schedules)
    }
    print("\(programs) of \(seed) programs: \(all) schedules without reduction, \(reduced) with it")
  }
}
