import Futures
import TestSupport
import Testing

/// Threads make, compose, answer, fail, cancel and drop futures at random, also from within callbacks.
@Suite(.ownThread) struct SoakTests {
  /// A number, and a witness of its life.
  private struct Value: Sendable {
    let number: Int
    let witness: Witness
  }

  /// A future, and the numbers it may succeed with.
  private struct Node: Sendable {
    let future: Future<Value>
    let possible: Set<Int>
  }

  /// A promise, and the number that it is answered with.
  private struct Source: Sendable {
    let promise: Promise<Value>
    let number: Int
  }

  private final class Table: Sendable {
    let alive = Counter()
    let wrong = Counter()
    let registered = Counter()
    let called = Counter()
    let sources: [Guarded<Source?>]
    let nodes: [Guarded<Node>]

    init(size: Int) {
      let alive = alive
      sources = (0..<size).map { _ in Guarded(nil) }
      nodes = (0..<size).map { _ in
        Guarded(Node(future: Future(value: Value(number: 0, witness: Witness(alive))), possible: [0]))
      }
    }

    func value(_ number: Int) -> Value { Value(number: number, witness: Witness(alive)) }

    // The old value is released outside of the locks: that may call callbacks.
    func replace(_ place: Int, by node: Node) { _ = nodes[place].exchange(node) }
    func replace(_ place: Int, by source: Source?) { _ = sources[place].exchange(source) }

    func check(_ result: Result<Value, any Error>, _ possible: Set<Int>) {
      if case .success(let value) = result, !possible.contains(value.number) { wrong.add() }
    }
  }

  private static let size = 24
  private static let threads = 3
  private static let operationsPerThread = 4_000

  @Test func `random operations on threads leave nothing and lose nothing`() {
    let soak = Soak("Futures", shortRounds: 4)
    let problem = soak.run(operations: Self.threads * Self.operationsPerThread, Self.round)
    #expect(problem == nil)
  }

  private static func round(_ seed: UInt64) -> String? {
    let alive: Counter
    do {
      let table = Table(size: size)
      alive = table.alive
      onThreads(threads) { thread in
        var random = SeededNumbers(seed: seed &* 31 &+ UInt64(thread))
        for _ in 0..<operationsPerThread { perform(on: table, &random, depth: 0) }
      }
      // A dropped promise calls callbacks, which may make new ones.
      while table.sources.contains(where: { $0.withLock { $0 != nil } }) {
        for place in table.sources.indices { table.replace(place, by: nil) }
      }
      let pending = table.nodes.count { !$0.withLock(\.future).isComplete }
      if pending > 0 { return "\(pending) futures are not complete" }
      if table.wrong.current > 0 { return "\(table.wrong.current) results are wrong" }
      let (registered, called) = (table.registered.current, table.called.current)
      if registered != called { return "\(called) calls of \(registered) callbacks" }
    }
    return alive.current == 0 ? nil : "\(alive.current) values are alive"
  }

  private static func perform(on table: Table, _ random: inout SeededNumbers, depth: Int) {
    let target = Int.random(in: 0..<size, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0...3: renew(target, of: table, &random)
    case 4...6:
      if let source = table.sources[target].withLock({ $0 }) {
        source.promise.succeed(table.value(source.number))
      }
    case 7: table.sources[target].withLock { $0 }?.promise.fail(Failure(code: target))
    case 8: table.replace(target, by: nil)
    case 9: table.nodes[target].withLock(\.future).cancel()
    case 10, 11:
      let node = table.nodes[target].withLock { $0 }
      table.registered.add()
      let next = depth < 2 ? random.next() : nil
      node.future.whenComplete { result in
        table.called.add()
        table.check(result, node.possible)
        guard let next else { return }
        var random = SeededNumbers(seed: next)
        perform(on: table, &random, depth: depth + 1)
      }
    default: derive(target, of: table, &random)
    }
  }

  private static func renew(_ target: Int, of table: Table, _ random: inout SeededNumbers) {
    let source = Source(promise: Promise(), number: Int.random(in: 1..<1 << 20, using: &random))
    if Bool.random(using: &random) {
      let witness = Witness(table.alive)
      source.promise.onCancel { withExtendedLifetime(witness) {} }
    }
    table.replace(target, by: Node(future: source.promise.future, possible: [source.number]))
    table.replace(target, by: source)
  }

  private static func derive(_ target: Int, of table: Table, _ random: inout SeededNumbers) {
    let picked = (0..<3).map { _ in table.nodes.randomElement(using: &random)!.withLock { $0 } }
    let witness = Witness(table.alive)
    let union = picked.reduce(into: Set<Int>()) { $0.formUnion($1.possible) }
    guard union.count <= 8 else { return renew(target, of: table, &random) }
    let futures = picked.map(\.future)
    let step: @Sendable (Value) -> Value = { Value(number: $0.number &+ 1, witness: witness) }
    let node: Node
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1: node = Node(future: futures[0].map(step), possible: Set(picked[0].possible.map { $0 &+ 1 }))
    case 2:
      node = Node(future: futures[0].flatMap { _ in futures[1] }, possible: picked[1].possible)
    case 3:
      node = Node(
        future: futures[0].flatMap { _ in futures[1].flatMap { _ in futures[2].map(step) } },
        possible: Set(picked[2].possible.map { $0 &+ 1 }))
    case 4:
      node = Node(
        future: futures[0].recover { _ in table.value(-1) }, possible: picked[0].possible.union([-1]))
    case 5:
      node = Node(
        future: futures[0].flatMapError { _ in futures[1] },
        possible: picked[0].possible.union(picked[1].possible))
    case 6: node = Node(future: Future.all(futures).map { $0[2] }, possible: picked[2].possible)
    case 7: node = Node(future: Future.any(futures), possible: union)
    case 8: node = Node(future: Future.race(futures), possible: union)
    case 9:
      node = Node(
        future: Future.all([0, 1, 2], limit: 1) { futures[$0] }.map { $0[1] }, possible: picked[1].possible)
    default:
      node = Node(
        future: Future.zip(futures[0], futures[1].map { "\($0.number)" }).map { $0.0 },
        possible: picked[0].possible)
    }
    table.replace(target, by: node)
  }
}
