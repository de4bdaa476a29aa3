import Coroutines
import Dispatch
import Foundation
import TestSupport
import Testing

/// Coroutines that do random operations, while other threads answer, drop and cancel.
@Suite(.ownThread) struct SoakTests {
  /// The coroutines' shared state.
  private final class Table: Sendable {
    let alive = Counter()
    let wrong = Counter()
    let done = Counter()
    let promises = (0..<16).map { _ in Guarded<CoPromise<Int>?>(nil) }
    let futures = Guarded<[CoFuture<Int>]>([])
    /// Where coroutines go on; nil: on the resuming thread.
    let schedulers: [(any CoroutineScheduler)?]
    /// Runs a resumption later.
    let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(
      schedulers: [(any CoroutineScheduler)?],
      later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
      self.schedulers = schedulers
      self.later = later
    }

    func check(_ isRight: Bool) { if !isRight { wrong.add() } }

    func answer(_ place: Int, _ random: inout SeededNumbers) {
      guard let promise = promises[place].exchange(nil) else { return }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: promise.fail(Failure(code: place))
      case 1: break
      default: promise.success(place)
      }
    }
  }

  @Test func `random operations on threads leave nothing`() async {
    let pool = CoroutinePool(workers: 2)
    defer { pool.shutDown() }
    let queue = DispatchQueue(label: "soak")
    let soak = Soak("Coroutines", shortRounds: 10)
    let problem = soak.run { seed in
      let table = Table(schedulers: [nil, pool, queue, DispatchQueue.global()]) { work in
        DispatchQueue.global().async(execute: work)
      }
      onThreads(3) { thread in
        var random = SeededNumbers(seed: seed &* 31 &+ UInt64(thread))
        for _ in 0..<60 { Self.disturb(table, &random) }
      }
      return Self.end(table, soak) { Soak.pause() }
    }
    #expect(problem == nil)
  }

  /// One thread, one order for each seed.
  @Test func `random operations in every order leave nothing`() {
    let soak = Soak("Coroutines in order", shortRounds: 40)
    let problem = soak.run { seed in
      let scheduler = SeededScheduler(seed: seed)
      let table = Table(schedulers: [scheduler]) { scheduler.scheduleTask($0) }
      var random = SeededNumbers(seed: seed)
      for _ in 0..<60 {
        Self.disturb(table, &random)
        for _ in 0..<Int.random(in: 0..<20, using: &random) { scheduler.runOne() }
      }
      return Self.end(table, soak) { scheduler.run() }
    }
    #expect(problem == nil)
  }

  private static func disturb(_ table: Table, _ random: inout SeededNumbers) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: table.answer(Int.random(in: table.promises.indices, using: &random), &random)
    case 1:
      let futures = table.futures.withLock { $0 }
      futures.randomElement(using: &random)?.cancel()
    default:
      let future = start(table, &random, depth: 0)
      table.futures.withLock { $0.append(future) }
    }
  }

  /// Waits until all coroutines have ended; returns the first problem.
  private static func end(_ table: Table, _ soak: Soak, wait: () -> Void) -> String? {
    let futures = table.futures.exchange([])
    var random = SeededNumbers(seed: 1)
    let deadline = ContinuousClock.now + .seconds(60)
    // A coroutine goes on after the one that started it was cancelled.
    while !futures.allSatisfy(\.isResolved) || table.alive.current > 0, ContinuousClock.now < deadline {
      for place in table.promises.indices { table.answer(place, &random) }
      wait()
    }
    let pending = futures.count { !$0.isResolved }
    if pending > 0 { return "\(pending) of \(futures.count) coroutines have not ended" }
    soak.count(table.done.current)
    if table.wrong.current > 0 { return "\(table.wrong.current) results are wrong" }
    return table.alive.current == 0 ? nil : "\(table.alive.current) objects are alive"
  }

  private static func start(_ table: Table, _ random: inout SeededNumbers, depth: Int) -> CoFuture<Int> {
    let witness = Witness(table.alive)
    let seed = random.next()
    return Coroutine.start(on: table.schedulers.randomElement(using: &random)!) {
      var random = SeededNumbers(seed: seed)
      let own = Witness(table.alive)
      defer { withExtendedLifetime((witness, own)) {} }
      let count = Int.random(in: 1...8, using: &random)
      for _ in 0..<count { try act(table, &random, depth: depth) }
      return count
    }
  }

  private static func hop(_ table: Table, _ random: inout SeededNumbers) throws {
    let number = Int.random(in: 0..<1000, using: &random)
    let isDoubled = Bool.random(using: &random)
    let got = try Coroutine.withContinuation(of: Int.self) { continuation in
      table.later { continuation.resume(returning: number) }
      if isDoubled { table.later { continuation.resume(returning: number) } }
    }
    table.check(got == number)
  }

  private static func add(_ number: inout Int, _ table: Table, _ random: inout SeededNumbers) throws {
    number += 1
    try hop(table, &random)
    number += 1
  }

  private static func act(_ table: Table, _ random: inout SeededNumbers, depth: Int) throws {
    table.done.add()
    let isInner = depth < 2
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: try hop(table, &random)
    case 2:
      let box = ExclusivityTests.Box()
      try add(&box.value, table, &random)
      try add(&box.modified, table, &random)
      table.check(box.value == 4)
    case 3:
      do {
        try hop(table, &random)
        throw Failure(code: 5)
      } catch let failure as Failure {
        try hop(table, &random)
        table.check(failure.code == 5)
      }
    case 4:
      let place = Int.random(in: table.promises.indices, using: &random)
      // Made from the promise, which is dropped now and then.
      let future = table.promises[place].withLock { promise in
        if promise == nil { promise = CoPromise() }
        return promise!.map { $0 }
      }
      do { table.check(try future.await() == place) } catch let failure as Failure {
        table.check(failure.code == place)
      } catch CoroutineError.dropped {}
    case 5: Coroutine.yield()
    case 6: Coroutine.move(to: table.schedulers.randomElement(using: &random)!)
    case 7:
      let number = Int.random(in: 1..<100, using: &random)
      table.check(try DispatchQueue.global().await { number } == number)
    case 8 where isInner:
      let seeds = (0..<4).map { _ in random.next() }
      let limit = Bool.random(using: &random) ? 2 : nil
      let scheduler = table.schedulers.randomElement(using: &random)!
      let sums = try CoGroup.run(on: scheduler, limit: limit) { group in
        try group.map(seeds) { seed in
          var random = SeededNumbers(seed: seed)
          try act(table, &random, depth: depth + 1)
          return seed
        }
      }
      table.check(sums == seeds)
    case 9 where isInner:
      let seed = random.next()
      do {
        try CoGroup.run { group in
          _ = try group.async {
            var random = SeededNumbers(seed: seed)
            try act(table, &random, depth: depth + 1)
          }
          _ = try group.async { () throws -> Int in throw Failure(code: 9) }
        }
        table.check(false)
      } catch let failure as Failure {
        table.check(failure.code == 9)
      }
    case 10:
      let channel = CoChannel<Int>(capacity: Bool.random(using: &random) ? 0 : 3)
      let received = try CoGroup.run(on: table.schedulers.randomElement(using: &random)!) { group in
        _ = try group.async {
          for number in 0..<10 { try channel.awaitSend(number) }
          channel.close()
        }
        return try group.async { Array(channel) }.await()
      }
      table.check(received == Array(0..<10) || Coroutine.isCancelled)
    case 11:
      try Coroutine.withTimeout(.seconds(3600)) { try hop(table, &random) }
    case 12:
      let promise = CoPromise<Int>()
      let mapped = promise.map { $0 + 1 }.map { $0 + 1 }
      table.later { promise.success(5) }
      table.check(try mapped.await() == 7)
    case 13:
      do {
        _ = try Coroutine.withContinuation(of: Int.self) { continuation in
          table.later { withExtendedLifetime(continuation) {} }
        }
        table.check(false)
      } catch CoroutineError.dropped {}
    case 14 where isInner:
      let child = start(table, &random, depth: depth + 1)
      if Bool.random(using: &random) { child.cancel() }
      _ = try? child.await()
    default:
      let cleaned = try Coroutine.shielded { () throws -> Bool in
        try hop(table, &random)
        return true
      }
      table.check(cleaned)
    }
  }
}
