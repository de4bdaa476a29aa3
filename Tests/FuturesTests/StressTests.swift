import Futures
import TestSupport
import Testing

/// Random graphs of futures whose promises are answered, dropped and cancelled from several threads.
@Suite(.ownThread) struct StressTests {
  static let threadCount = 3

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `every future of a random graph completes once, whatever races`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let cancelled = (0..<12).map { _ in Counter() }
    let slots = (0..<12).map { _ in Guarded<Promise<Int>?>(Promise()) }
    var futures: [Future<Int>] = []
    for (index, slot) in slots.enumerated() {
      slot.withLock { promise in
        promise!.onCancel { cancelled[index].add() }
        if index % 3 == 0 { promise!.onCancel { cancelled[index].add(100) } }
      }
      futures.append(slot.withLock { $0!.future })
    }
    for _ in 0..<40 { futures.append(derive(from: futures, &random)) }
    let calls = futures.map { _ in Counter() }
    let observed = futures.indices.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
    for index in observed { futures[index].whenComplete { _ in calls[index].add() } }

    // What is left open at the end is answered by dropping the promises.
    let plans = (0..<Self.threadCount).map { _ in
      (0..<20).map { _ in
        (action: Int.random(in: 0..<8, using: &random), target: Int.random(in: 0..<52, using: &random))
      }
    }
    let answered = slots.map { _ in Counter() }
    let targets = futures
    onThreads(Self.threadCount) { thread in
      for (action, target) in plans[thread] {
        let slot = target % slots.count
        let promise = slots[slot].withLock { $0 }
        switch action {
        case 0...2: if promise?.succeed(target) == true { answered[slot].add() }
        case 3: if promise?.fail(Failure()) == true { answered[slot].add() }
        case 4: slots[slot].withLock { $0 = nil }
        case 5: targets[target].cancel()
        default: _ = targets[target].map { $0 }.isComplete
        }
      }
    }
    for slot in slots { slot.withLock { $0 = nil } }
    for (index, future) in futures.enumerated() {
      #expect(future.isComplete, "future \(index)")
      if observed.contains(index) { #expect(calls[index].current == 1, "future \(index)") }
    }
    for (index, count) in cancelled.enumerated() {
      let expected = futures[index].isCancelled ? (index % 3 == 0 ? 101 : 1) : 0
      #expect(count.current == expected, "promise \(index)")
      #expect(answered[index].current <= 1)
      #expect(answered[index].current == 0 || !futures[index].isCancelled)
    }
  }

  private func derive(from futures: [Future<Int>], _ random: inout SeededNumbers) -> Future<Int> {
    let picked = (0..<3).map { _ in futures.randomElement(using: &random)! }
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return picked[0].map { $0 + 1 }
    case 1: return picked[0].flatMap { _ in picked[1] }
    case 2: return picked[0].flatMap { _ in picked[1].flatMap { _ in picked[2].map { $0 } } }
    case 3: return picked[0].recover { _ in 0 }
    case 4: return picked[0].flatMapError { _ in picked[1] }
    case 5: return Future.all(picked).map { $0[0] }
    case 6: return Future.any(picked)
    case 7: return Future.race(picked)
    case 8: return Future.inOrderOfCompletion(picked).map(\.count)
    case 9: return Future.all(picked, limit: 1) { $0.map { $0 } }.map { $0.count }
    default: return Future.zip(picked[0], picked[1].map { "\($0)" }).map { $0.0 }
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a loop that is cancelled while its rounds pass ends and stops its producer`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let cancelAfter = Int.random(in: 1..<60, using: &random)
    let latest = Guarded<Promise<Int>?>(nil)
    let rounds = Counter()
    @Sendable func loop() -> Future<Int> {
      let promise = Promise<Int>()
      latest.withLock { $0 = promise }
      rounds.add()
      return promise.future.flatMap { _ in loop() }
    }
    let future = loop()
    let calls = Counter()
    future.whenComplete { _ in calls.add() }
    onThreads(2) { thread in
      if thread == 0 {
        while !future.isCancelled { latest.withLock { $0 }?.succeed(1) }
      } else {
        while rounds.current < cancelAfter { latest.withLock { $0 }?.succeed(1) }
        future.cancel()
      }
    }
    #expect(calls.current == 1)
    #expect(latest.withLock { $0 }!.future.isComplete)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `callbacks and handlers that race with the end are each served once`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<20 {
      let promise = Promise<Int>()
      let (called, handled) = (Counter(), Counter())
      let cancels = Bool.random(using: &random)
      let delay = Int.random(in: 0..<200, using: &random)
      onThreads(3) { thread in
        switch thread {
        case 0:
          for _ in 0..<delay { called.add(0) }
          if cancels { promise.future.cancel() } else { promise.succeed(1) }
        case 1: for _ in 0..<3 { promise.future.whenComplete { _ in called.add() } }
        default: for _ in 0..<3 { promise.onCancel { handled.add() } }
        }
      }
      #expect(called.current == 3)
      #expect(handled.current == (cancels ? 3 : 0))
    }
  }

  /// In an optimised build the canceller once retained what it had taken hold of when the deliverer had already freed it.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a loser that is started and answered while it is cancelled is freed once`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<200 {
      let (winner, timer) = (Promise<Int>(), Promise<Int>())
      let delay = Int.random(in: 0..<40, using: &random)
      let calls = Counter()
      let first = Future.any([
        winner.future, timer.future.flatMap { value in Future.make { $0.succeed(value) } },
      ])
      first.whenComplete { _ in calls.add() }
      onThreads(2) { thread in
        if thread == 0 {
          for _ in 0..<delay { calls.add(0) }
          winner.succeed(1)
        } else {
          timer.succeed(2)
        }
      }
      #expect(calls.current == 1)
      #expect(first.result.map { (try? $0.get()).map { $0 == 1 || $0 == 2 } } == true)
    }
  }
}
