import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import FanoutCommand
@testable import Benchmarking
@testable import Harness

/// A clock that advances by `pass`, and by 1 ns at each reading.
private final class HandClock: Sendable {
  private let now = Atomic<UInt64>(0)

  var clock: HarnessClock { HarnessClock { self.now.add(1, ordering: .relaxed).newValue } }

  func pass(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }
}

private struct Refusal: Error {}

@Suite(.ownThread(minutes: 6)) struct BenchmarkTests {
  private let clock = HandClock()

  private func sample(_ benchmark: Benchmark, _ iterations: Int) throws -> (BenchmarkMeter, String?) {
    let meter = BenchmarkMeter(clock.clock)
    let fault = try benchmark.makeBody().perform(iterations, meter)
    return (meter, fault)
  }

  @Test(arguments: [false, true]) func `the body runs as often as requested`(isAsync: Bool) throws {
    let counter = Counter()
    let suspending = Benchmark("a") {
      await Task.yield()
      counter.add()
    }
    let body = try (isAsync ? suspending : Benchmark("a") { counter.add() }).makeBody()
    for iterations in [1, 2, 64, 1_000] {
      let before = counter.current
      _ = try body.perform(iterations, BenchmarkMeter(clock.clock))
      #expect(counter.current - before == iterations)
    }
  }

  @Test(.enabled(if: !isUnderSanitizer))
  func `an error in one thread is reported even if another thread waits for it`() async throws {
    let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let first = Atomic(true)
      let never = DispatchSemaphore(value: 0)
      let benchmark = Benchmark("a", threads: 2) {
        if first.exchange(false, ordering: .relaxed) { throw Oops() }
        never.wait()
      }
      _ = try benchmark.makeBody().perform(1, BenchmarkMeter(HandClock().clock))
    }
    let words = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
    #expect(words.contains("ended with an error: Oops(), and another one still ran 5 s later"))
  }

  @Test func `set-up runs once and is not measured`() throws {
    let counter = Counter()
    let benchmark = Benchmark(
      "a", expecting: { $0 == 8 },
      setUp: { () async in
        counter.add()
        clock.pass(1_000_000)
        return 7
      }, body: { $0 + 1 })
    let body = try benchmark.makeBody()
    let meter = BenchmarkMeter(clock.clock)
    #expect(try body.perform(3, meter) == nil)
    #expect(try body.perform(3, meter) == nil)
    #expect(counter.current == 1)
    #expect(meter.nanoseconds < 100)
  }

  @Test(arguments: [1, 63, 64, 65, 200]) func `every iteration has its own input, which is not measured`(
    iterations: Int
  ) throws {
    let (made, used) = (Counter(), Counter())
    let benchmark = Benchmark(
      "a",
      eachTime: { () -> [Int] in
        clock.pass(1_000)
        return [made.add()]
      },
      body: { input in
        clock.pass(10)
        if input.count == 1 { used.add() }
        input.append(0)
      })
    let (meter, _) = try sample(benchmark, iterations)
    #expect(made.current == iterations && used.current == iterations)
    let clockReadings = UInt64(2 * (iterations / 64 + 1))
    #expect(meter.nanoseconds >= 10 * UInt64(iterations))
    #expect(meter.nanoseconds <= 10 * UInt64(iterations) + clockReadings)
  }

  @Test func `expensive inputs end a sample early`() throws {
    let benchmark = Benchmark("a", eachTime: { clock.pass(10_000_000) }, body: { _ in })
    let (meter, _) = try sample(benchmark, 100_000)
    #expect(meter.iterations == 25)
  }

  @Test func `the last result is compared with the expected one`() throws {
    let counter = Counter()
    let benchmark = Benchmark("a", expecting: 5) { counter.add() }
    #expect(try sample(benchmark, 5).1 == nil)
    #expect(try sample(benchmark, 5).1 == "returned 10, which is not the expected result")
  }

  @Test func `expectations, set-up and inputs of each iteration combine`() throws {
    let combinations = [
      Benchmark("sync", expecting: 8, setUp: { 7 }) { $0 + 1 },
      Benchmark("async", expecting: 8, setUp: { 7 }) {
        await Task.yield()
        return $0 + 1
      },
      Benchmark("each time", expecting: [1, 2], eachTime: { [2, 1] }) { input -> [Int] in
        input.sort()
        return input
      },
      Benchmark("async, each time", expecting: 3, eachTime: { [2, 1] }) { input in
        await Task.yield()
        return input.removeLast() + input.removeLast()
      },
      Benchmark("both", expecting: 9, setUp: { 7 }, eachTime: { [$0, 1] }) { $0.removeFirst() + 2 },
      Benchmark("async, both", expecting: { $0 > 8 }, setUp: { 7 }, eachTime: { [$0, 1] }) {
        await Task.yield()
        return $0.removeFirst() + 2
      },
      Benchmark("a function", expecting: 5, body: five),
    ]
    for benchmark in combinations {
      #expect(try sample(benchmark, 100).1 == nil, "\(benchmark.name)")
    }
  }

  @Test func `a wrong result of a benchmark with inputs is shown`() throws {
    let benchmark = Benchmark("a", expecting: 1, setUp: { 7 }, eachTime: { [$0] }) { $0.removeLast() }
    #expect(try sample(benchmark, 5).1 == "returned 7, which is not the expected result")
  }

  @Test(arguments: [false, true], [2, 8])
  func `threads and tasks do every iteration at once`(isAsync: Bool, threads: Int) throws {
    let done = Counter()
    let others = DispatchGroup()
    for _ in 0..<threads { others.enter() }
    // Each waits until all have started.
    let threaded = Benchmark("a", threads: threads) {
      if done.add() <= threads { others.leave() }
      others.wait()
    }
    let tasks = Benchmark("a", threads: threads) {
      let number = done.add()
      while number <= threads && done.current < threads { await Task.yield() }
    }
    let (meter, fault) = try sample(isAsync ? tasks : threaded, 100)
    #expect(fault == nil && meter.parts == 1 && meter.iterations == 100)
    #expect(done.current == 100 * threads)
  }

  @Test func `every thread has inputs of its own`() throws {
    let used = Counter()
    let benchmark = Benchmark("a", threads: 4, eachTime: { [1] }) { input in
      if input.popLast() == 1 { used.add() }
    }
    #expect(try sample(benchmark, 100).0.iterations == 100)
    #expect(used.current == 400)
  }

  @Test func `a wrong result of one thread of eight is shown`() throws {
    let drawn = Counter()
    let benchmark = Benchmark("a", threads: 8, expecting: { $0 != 3 }) { drawn.add() }
    #expect(try sample(benchmark, 1).1 == "returned 3, which is not the expected result")
  }

  @Test func `an error of one thread of eight is thrown when all have ended`() throws {
    let (drawn, ended) = (Counter(), Counter())
    let failing = Benchmark("a", threads: 8) {
      defer { ended.add() }
      if drawn.add() == 3 { throw Refusal() }
    }
    #expect(throws: Refusal.self) { try sample(failing, 1) }
    #expect(ended.current == 8)
    let lacking = Benchmark("b", threads: 8, eachTime: { if drawn.add() == 11 { throw Refusal() } }) { _ in }
    #expect(throws: Refusal.self) { try sample(lacking, 1) }
  }

  private static let mainQueue = DispatchSpecificKey<Bool>()
  private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueue) == true }

  /// As under `.defaultIsolation(MainActor.self)`: the compiler lets such code run anywhere, where it traps.
  @MainActor private static var ofTheMainActor: MadeElsewhere {
    let eachTime = { isOnMainQueue }
    return MadeElsewhere(benchmarks: [
      Benchmark("a", expecting: { $0 && isOnMainQueue }, eachTime: eachTime) { $0 && isOnMainQueue },
      Benchmark("a", expecting: { $0 && isOnMainQueue }, eachTime: eachTime) {
        await Task.yield()
        return $0 && isOnMainQueue
      },
    ])
  }

  @Test func `closures of the main actor run on the main queue`() async throws {
    DispatchQueue.main.setSpecific(key: Self.mainQueue, value: true)
    for (index, benchmark) in await Self.ofTheMainActor.benchmarks.enumerated() {
      let (_, fault) = try sample(benchmark, 3)
      #expect(fault == nil, "\(index)")
    }
  }

  @Test func `an error of body or set-up is reported`() throws {
    #expect(throws: Refusal.self) { try sample(Benchmark("a") { throw Refusal() }, 1) }
    let noSetUp = Benchmark("a", setUp: { () throws -> Int in throw Refusal() }, body: { $0 })
    let error = #expect(throws: SuiteProblem.self) { try noSetUp.makeBody() }
    #expect(error?.description == "`setUp` threw an error: Refusal()")
  }

  @Test func `an empty body is not ranked, and one with work is`() throws {
    func reply(_ benchmark: Benchmark) throws -> SampleReply {
      let worker = BenchmarkWorker<BenchmarkCase>(clock: clock.clock) { _ in try benchmark.makeBody() }
      return try worker.run(SampleRequest(scenario: BenchmarkCase(benchmark), iterations: 4_000))
    }
    let empty = try reply(Benchmark("a") {})
    let crowd = try reply(Benchmark("a", threads: 8) {})
    #expect(crowd.outcome == .wrong)
    #expect(empty.outcome == .wrong && empty.reason?.contains("the optimiser has removed it") == true)
    #expect(try reply(Benchmark("a") { clock.pass(2) }).outcome == .measured)
  }
}

private struct MadeElsewhere: @unchecked Sendable {
  // Invariant: the isolation that made them does not use them again.
  let benchmarks: [Benchmark]
}

private func five() -> Int { 5 }

private struct Oops: Error {}
