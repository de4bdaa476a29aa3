import ClosureTasks
import TestSupport
import Testing

/// Threads perform tasks composed at random, end what is in flight, and cancel runs.
@Suite(.ownThread) struct SoakTests {
  /// A number, and a witness of its life.
  private struct Value: Sendable {
    let number: Int
    let witness: Witness
  }

  /// A task, and the numbers it may succeed with.
  private struct Node: Sendable {
    let task: ClosureTask<Value>
    let possible: Set<Int>
  }

  /// Work that has begun, to be ended by any thread.
  private struct Parked: Sendable {
    let controller: TaskController<Value>
    let number: Int
  }

  private final class Table: Sendable {
    let alive = Counter()
    let wrong = Counter()
    let performed = Counter()
    let completed = Counter()
    let parked = (0..<SoakTests.size).map { _ in Guarded<Parked?>(nil) }
    let runs = (0..<SoakTests.size).map { _ in Guarded<TaskRun?>(nil) }

    func value(_ number: Int) -> Value { Value(number: number, witness: Witness(alive)) }

    /// Parks it in place of another one, which fails.
    func park(_ new: Parked?, at place: Int) { parked[place].exchange(new)?.controller.fail(with: Failure()) }
  }

  private static let size = 32
  private static let threads = 3
  private static let operationsPerThread = 2_000

  @Test func `random operations on threads leave nothing and lose nothing`() {
    let soak = Soak("ClosureTasks", shortRounds: 4)
    let problem = soak.run(operations: Self.threads * Self.operationsPerThread, Self.round)
    #expect(problem == nil)
  }

  private static func round(_ seed: UInt64) -> String? {
    let alive: Counter
    do {
      let table = Table()
      alive = table.alive
      onThreads(threads) { thread in
        var random = SeededNumbers(seed: seed &* 31 &+ UInt64(thread))
        for _ in 0..<operationsPerThread { perform(on: table, &random, depth: 0) }
      }
      // Ended work begins other work; queues run by themselves.
      let deadline = ContinuousClock.now + .seconds(60)
      while table.performed.current != table.completed.current, ContinuousClock.now < deadline {
        for place in 0..<size { table.park(nil, at: place) }
        Soak.pause()
      }
      for run in table.runs { _ = run.exchange(nil) }
      for place in 0..<size { table.park(nil, at: place) }
      let (performed, completed) = (table.performed.current, table.completed.current)
      if performed != completed { return "\(completed) completions of \(performed) runs" }
      if table.wrong.current > 0 { return "\(table.wrong.current) results are wrong" }
    }
    // A queue releases its work a moment after that has returned.
    return comesTrue { alive.current == 0 } ? nil : "\(alive.current) values are alive"
  }

  private static func perform(on table: Table, _ random: inout SeededNumbers, depth: Int) {
    let target = Int.random(in: 0..<size, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3:
      let node = make(on: table, &random, depth: 0)
      let next = depth < 2 ? random.next() : nil
      table.performed.add()
      let run = node.task.perform(on: nil) { result in
        if case .success(let value) = result, !node.possible.contains(value.number) { table.wrong.add() }
        if let next {
          var random = SeededNumbers(seed: next)
          perform(on: table, &random, depth: depth + 1)
        }
        table.completed.add()
      }
      _ = table.runs[target].exchange(run)
    case 4...6:
      if let parked = table.parked[target].exchange(nil) {
        parked.controller.finish(with: table.value(parked.number))
      }
    case 7: table.park(nil, at: target)
    default: table.runs[target].exchange(nil)?.cancel()
    }
  }

  private static func leaf(on table: Table, _ random: inout SeededNumbers) -> Node {
    let number = Int.random(in: 1..<1 << 20, using: &random)
    let place = Int.random(in: 0..<size, using: &random)
    let task: ClosureTask<Value> =
      switch Int.random(in: 0..<8, using: &random) {
      case 0: ClosureTask { $0.finish(with: table.value(number)) }
      case 1: ClosureTask { _ in throw Failure() }
      case 2: ClosureTask(on: .global()) { table.value(number) }
      case 3:
        ClosureTask { controller in
          let witness = Witness(table.alive)
          controller.onCancel { withExtendedLifetime(witness) {} }
          controller.onCancel { withExtendedLifetime(witness) {} }
          table.park(Parked(controller: controller, number: number), at: place)
        }
      default: ClosureTask { table.park(Parked(controller: $0, number: number), at: place) }
      }
    return Node(task: task, possible: [number])
  }

  private static func make(on table: Table, _ random: inout SeededNumbers, depth: Int) -> Node {
    if depth == 4 || Int.random(in: 0..<4, using: &random) == 0 { return leaf(on: table, &random) }
    let inner = make(on: table, &random, depth: depth + 1)
    let witness = Witness(table.alive)
    let plusOne: @Sendable (Value) -> Value = { Value(number: $0.number &+ 1, witness: witness) }
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return Node(task: inner.task.map(plusOne), possible: Set(inner.possible.map { $0 &+ 1 }))
    case 1:
      let next = make(on: table, &random, depth: depth + 1)
      return Node(task: inner.task.then { _ in next.task }, possible: next.possible)
    case 2:
      let other = make(on: table, &random, depth: depth + 1)
      return Node(
        task: inner.task.recover { _ in other.task }, possible: inner.possible.union(other.possible))
    case 3: return Node(task: inner.task.retry(attempts: 2), possible: inner.possible)
    case 4: return Node(task: inner.task.timeout(after: .seconds(3600)), possible: inner.possible)
    case 5: return Node(task: inner.task.on(.global()), possible: inner.possible)
    default: break
    }
    let others = (0..<2).map { _ in make(on: table, &random, depth: depth + 2 > 4 ? 4 : depth + 2) }
    let tasks = [inner.task] + others.map(\.task)
    let union = others.reduce(inner.possible) { $0.union($1.possible) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return Node(task: ClosureTask.group(tasks).map { $0[0] }, possible: inner.possible)
    case 1:
      return Node(task: ClosureTask.group(tasks, limit: 2).map { $0[2] }, possible: others[1].possible)
    case 2: return Node(task: .any(tasks), possible: union)
    case 3: return Node(task: .race(tasks), possible: union)
    default:
      return Node(
        task: ClosureTask.zip(tasks[0], tasks[1].map { "\($0.number)" }).map { $0.0 },
        possible: inner.possible)
    }
  }
}
