import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct CoGroupAnyTests {
  /// Runs `any` over bodies that wait for the promises, and logs how each body ends.
  private func start(_ promises: [CoPromise<Int>], _ log: Log<String> = Log()) -> CoFuture<Int> {
    Coroutine.start {
      @Sendable func wait(_ number: Int) throws -> Int {
        do { return try promises[number].await() } catch {
          log.append("\(number): \(type(of: error))")
          throw error
        }
      }
      return try CoGroup.any((0..<3).map { number in { try wait(number) } })
    }
  }

  @Test(arguments: 0..<3) func `the first result wins and the others have ended`(winner: Int) async throws {
    let (promises, log) = ((0..<3).map { _ in CoPromise<Int>() }, Log<String>())
    let future = start(promises, log)
    promises[winner].success(winner)
    #expect(try await future.value == winner)
    let losers = (0..<3).filter { $0 != winner }
    #expect(log.entries.sorted() == losers.map { "\($0): CancellationError" })
  }

  @Test func `an error only ends its body`() async throws {
    let promises = (0..<3).map { _ in CoPromise<Int>() }
    let future = start(promises)
    promises[2].fail(Failure(code: 2))
    promises[0].fail(Failure(code: 0))
    #expect(!future.isResolved)
    promises[1].success(1)
    #expect(try await future.value == 1)
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func `all errors come in the order of the bodies`(order: [Int]) async throws {
    let promises = (0..<3).map { _ in CoPromise<Int>() }
    let future = start(promises)
    for number in order { promises[number].fail(Failure(code: number)) }
    let failed = await #expect(throws: AllFuturesFailed.self) { try await future.value }
    #expect(failed?.errors.map { ($0 as? Failure)?.code } == [0, 1, 2])
  }

  @Test func `a result at once keeps the later ones from beginning`() async throws {
    let log = Log<Int>()
    let future = Coroutine.start {
      try CoGroup.any(
        {
          log.append(0)
          return 0
        },
        {
          log.append(1)
          return 1
        })
    }
    #expect(try await future.value == 0)
    #expect(log.entries == [0])
  }

  @Test func `a cancellation reaches all bodies and is thrown`() async {
    let (promises, log) = ((0..<3).map { _ in CoPromise<Int>() }, Log<String>())
    let future = start(promises, log)
    future.cancel()
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(log.entries.sorted() == (0..<3).map { "\($0): CancellationError" })
  }

  @Test func `the coroutine that won goes on uncancelled`() async throws {
    let timer = ManualCoTimer()
    let future = Coroutine.start {
      let first = try CoGroup.any({ 1 }, { try CoPromise<Int>().await() })
      try Coroutine.delay(.seconds(1), on: timer)
      return first
    }
    timer.advance(by: .seconds(1))
    #expect(try await future.value == 1)
  }

  @Test func `without bodies there is no result`() async {
    let future = Coroutine.start { try CoGroup.any([]) as Int }
    await #expect(throws: AllFuturesFailed.self) { try await future.value }
  }

  /// In any later order of the scheduler.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `bodies begin in order and go on on the scheduler`(seed: UInt64) async throws {
    let (scheduler, log, promises) = (
      SeededScheduler(seed: seed), Log<Int>(), (0..<3).map { _ in CoPromise<Int>() }
    )
    @Sendable func wait(_ number: Int) throws -> Int {
      log.append(number)
      return try promises[number].await()
    }
    let future = Coroutine.start(on: scheduler) {
      try CoGroup.any({ try wait(0) }, { try wait(1) }, { try wait(2) })
    }
    #expect(scheduler.runOne())
    #expect(log.entries == [0, 1, 2])
    promises[0].success(5)
    #expect(!future.isResolved)
    scheduler.run()
    #expect(try await future.value == 5)
  }
}
