import Dispatch
import Futures
import TestSupport
import Testing

@Suite(.ownThread) struct ChainTests {
  static let steps = Effort.count(100_000, thorough: 1_000_000)

  @Test(arguments: [true, false]) func `map transforms values and passes errors on`(answeredFirst: Bool) {
    let promise = Promise<Int>()
    if answeredFirst { promise.succeed(20) }
    let good = promise.future.map { $0 + 1 }.map { "\($0)" }
    let thrown = promise.future.map { _ -> Int in throw Failure(code: 9) }.map { $0 + 1 }
    if !answeredFirst { promise.succeed(20) }
    #expect(try! good.wait() == "21")
    #expect(throws: Failure(code: 9)) { try thrown.wait() }
  }

  @Test func `a future that waits for itself fails`() {
    let (succeeding, failing) = (Promise<Int>(), Promise<Int>())
    let own = Guarded<Future<Int>?>(nil)
    _ = own.exchange(succeeding.future.flatMap { _ in own.withLock { $0! } })
    succeeding.succeed(1)
    #expect(throws: FutureError.waitsForItself) { try own.withLock { $0! }.wait() }
    _ = own.exchange(failing.future.flatMapError { _ in own.withLock { $0! } })
    failing.fail(Failure())
    #expect(throws: FutureError.waitsForItself) { try own.withLock { $0! }.wait() }
    _ = own.exchange(nil)
  }

  @Test(arguments: [true, false]) func `recover replaces an error only`(answeredFirst: Bool) {
    let promise = Promise<Int>()
    if answeredFirst { promise.fail(Failure()) }
    let recovered = promise.future.recover { _ in 5 }.recover { _ in 6 }
    let other = promise.future.flatMapError { _ in Future(value: 7) }
    let rethrown = promise.future.recover { _ in throw Failure(code: 2) }
    if !answeredFirst { promise.fail(Failure()) }
    #expect(try! recovered.wait() == 5)
    #expect(try! other.wait() == 7)
    #expect(throws: Failure(code: 2)) { try rethrown.wait() }
  }

  @Test(arguments: [true, false], [true, false])
  func `flatMap has the outcome of the inner future`(outerFirst: Bool, innerFirst: Bool) {
    let outer = Promise<Int>()
    let inner = Promise<String>()
    if outerFirst { outer.succeed(1) }
    if innerFirst { inner.succeed("inner") }
    let future = outer.future.flatMap { _ in inner.future }
    outer.succeed(1)
    inner.succeed("inner")
    #expect(try! future.wait() == "inner")
  }

  enum End: CaseIterable { case answeredFirst, answered, abandoned, cancelled }

  @Test(arguments: End.allCases)
  func `a chain of many maps ends as its promise does, and cancels it`(end: End) {
    var promise: Promise<Int>? = Promise()
    if end == .answeredFirst { promise!.succeed(0) }
    var last = promise!.future
    for _ in 0..<Self.steps { last = last.map { $0 + 1 } }
    switch end {
    case .answeredFirst: break
    case .answered: promise!.succeed(0)
    case .abandoned: promise = nil
    case .cancelled: last.cancel()
    }
    #expect(promise == nil || promise?.isCancelled == (end == .cancelled))
    switch end {
    case .answeredFirst, .answered: #expect(try! last.wait() == Self.steps)
    case .abandoned: #expect(last.failureDescription == "promiseAbandoned")
    case .cancelled: #expect(last.isCancelled)
    }
  }

  @Test(arguments: [true, false])
  func `many recursive flatMaps on futures, complete or answered later`(isComplete: Bool) {
    let latest = Guarded<Promise<Int>?>(nil)
    @Sendable func count(down number: Int) -> Future<Int> {
      let promise = Promise<Int>()
      if isComplete { promise.succeed(number) } else { latest.withLock { $0 = promise } }
      return promise.future.flatMap { $0 == 0 ? Future(value: 42) : count(down: $0 - 1) }
    }
    let steps = Self.steps / (isComplete ? 1 : 10)
    let future = count(down: steps)
    if !isComplete {
      for number in stride(from: steps, through: 0, by: -1) {
        latest.withLock { promise in promise.take() }!.succeed(number)
      }
    }
    #expect(try! future.wait() == 42)
  }

  @Test func `a loop of flatMaps keeps only the round that runs`() {
    let latest = Guarded<Promise<Int>?>(nil)
    let rounds = Guarded<[WeakReference]>([])
    @Sendable func loop() -> Future<Int> {
      let promise = Promise<Int>()
      latest.withLock { $0 = promise }
      let round = promise.future.flatMap { $0 == 0 ? Future(value: 42) : loop() }
      rounds.withLock { $0.append(WeakReference(round)) }
      return round
    }
    let future = loop()
    for _ in 0..<1000 { latest.withLock { $0.take() }!.succeed(1) }
    // The first, which is `future`, and the last, which runs.
    #expect(rounds.withLock { $0.count { $0.object != nil } } == 2)
    latest.withLock { $0.take() }!.succeed(0)
    #expect(try! future.wait() == 42)
  }

  @Test func `a loop of flatMaps on a queue keeps only the round that runs`() {
    let queue = DispatchQueue(label: "loop")
    let rounds = Log<WeakReference>()
    let peak = Guarded(0)
    @Sendable func loop(_ left: Int) -> Future<Int> {
      if left == 0 { return Future(value: 42) }
      let round = queue.future { left }.flatMap(on: queue) { loop($0 - 1) }
      rounds.append(WeakReference(round))
      let alive = rounds.entries.count { $0.object != nil }
      peak.withLock { $0 = max($0, alive) }
      return round
    }
    #expect(try! loop(500).wait() == 42)
    #expect(peak.withLock { $0 } < 10)
  }

  @Test func `a round of a loop that is kept has the loop's outcome`() {
    let promises = Log<Promise<Int>>()
    let rounds = Log<Future<Int>>()
    @Sendable func loop() -> Future<Int> {
      let promise = Promise<Int>()
      promises.append(promise)
      let round = promise.future.flatMap { $0 == 0 ? Future(value: 42) : loop() }
      rounds.append(round)
      return round
    }
    let future = loop()
    for round in 0..<10 { promises.entries[round].succeed(1) }
    promises.entries[10].succeed(0)
    #expect(try! future.wait() == 42)
    #expect(rounds.entries.allSatisfy { (try? $0.wait()) == 42 })
  }

  @Test(arguments: [true, false])
  func `cancelling a loop of any length cancels the round that runs`(keepsRounds: Bool) {
    let latest = Guarded<Promise<Int>?>(nil)
    let kept = Log<Future<Int>>()
    @Sendable func loop() -> Future<Int> {
      let promise = Promise<Int>()
      latest.withLock { $0 = promise }
      let round = promise.future.flatMap { _ in loop() }
      if keepsRounds { kept.append(round) }
      return round
    }
    let future = loop()
    for _ in 0..<20_000 { latest.withLock { $0.take() }!.succeed(1) }
    let last = latest.withLock { $0 }!
    future.cancel()
    #expect(last.isCancelled)
  }

  @Test func `a callback that answers the next promise does not nest`() {
    let promises = (0...Self.steps / 10).map { _ in Promise<Int>() }
    for (promise, next) in zip(promises, promises.dropFirst()) {
      promise.future.whenComplete { next.succeed(try! $0.get() + 1) }
    }
    promises[0].succeed(0)
    #expect(try! promises.last!.future.wait() == Self.steps / 10)
  }
}
