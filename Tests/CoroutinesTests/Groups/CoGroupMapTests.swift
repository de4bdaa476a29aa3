import Coroutines
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct CoGroupMapTests {
  /// Calls that the test answers.
  private final class Calls: Sendable {
    private struct State {
      var waiting: [Int: CoContinuation<Int>] = [:]
      var peak = 0
      var started: [Int] = []
      var cancelled: [Int] = []
    }
    private let state = Mutex(State())

    @Sendable func wait(_ number: Int) throws -> Int {
      try Coroutine.withContinuation(cancel: { (number: Int) in self.cancel(number) }) { continuation in
        state.withLock {
          $0.waiting[number] = continuation
          $0.started.append(number)
          $0.peak = max($0.peak, $0.waiting.count)
        }
        return number
      }
    }

    private func cancel(_ number: Int) {
      state.withLock { $0.cancelled.append(number) }
      end(number, .failure(CancellationError()))
    }

    func end(_ number: Int, _ result: Result<Int, any Error>) {
      let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
      continuation?.resume(with: result)
    }

    var started: [Int] { state.withLock { $0.started } }
    var cancelled: [Int] { state.withLock { $0.cancelled.sorted() } }
    var peak: Int { state.withLock { $0.peak } }
  }

  private func start(_ count: Int, limit: Int? = nil, _ calls: Calls) -> CoFuture<[Int]> {
    Coroutine.start {
      try CoGroup.run(limit: limit) { group in try group.map(Array(0..<count)) { try calls.wait($0) } }
    }
  }

  @Test(arguments: [nil, 4] as [Int?])
  func `results keep the order of the elements`(limit: Int?) async throws {
    let calls = Calls()
    let future = start(4, limit: limit, calls)
    for number in [2, 0, 3, 1] { calls.end(number, .success(number * 10)) }
    #expect(try await future.value == [0, 10, 20, 30])
  }

  @Test func `no element needs no coroutine`() async throws {
    #expect(try await start(0, Calls()).value == [])
  }

  @Test func `a limit holds`() async throws {
    let calls = Calls()
    let future = start(10, limit: 3, calls)
    for number in 0..<10 { calls.end(number, .success(number)) }
    #expect(try await future.value == Array(0..<10))
    #expect(calls.peak == 3)
  }

  @Test(arguments: [nil, 3] as [Int?])
  func `the first error cancels the others and is thrown`(limit: Int?) async {
    let calls = Calls()
    let future = start(5, limit: limit, calls)
    calls.end(1, .failure(Failure(code: 1)))
    await #expect(throws: Failure(code: 1)) { try await future.value }
    #expect(calls.started == Array(0..<(limit ?? 5)))
    #expect(calls.cancelled == calls.started.filter { $0 != 1 })
  }

  @Test func `an error while children start leaves the others unstarted`() async {
    let started = Counter()
    let future = Coroutine.start {
      try CoGroup.run { group in
        try group.map(Array(0..<100)) { number in
          started.add()
          if number == 3 { throw Failure(code: 3) }
        }
      }
    }
    await #expect(throws: Failure(code: 3)) { try await future.value }
    #expect(started.current == 4)
  }

  /// The owner's wait ends at once, but the children still use the group: it must live until the last one has left.
  @Test func `cancelling the owner waits for children that end later`() async {
    let calls = Calls()
    let future = start(50, calls)
    DispatchQueue.concurrentPerform(iterations: 4) { part in
      if part == 0 { future.cancel() }
      for number in 0..<50 { calls.end(number, .success(number)) }
    }
    do { #expect(try await future.value == Array(0..<50)) } catch { #expect(error is CancellationError) }
  }

  @Test func `elements run on the group's scheduler`() async throws {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "elements")
    queue.setSpecific(key: key, value: 7)
    let values = try await Coroutine.start {
      try CoGroup.run(on: queue) { group in
        try group.map(Array(0..<20)) { number in
          let before = DispatchQueue.getSpecific(key: key)
          let value = try Coroutine.withContinuation(of: Int.self) { continuation in
            DispatchQueue.global().async { continuation.resume(returning: number) }
          }
          return before == 7 && DispatchQueue.getSpecific(key: key) == 7 ? value : -1
        }
      }
    }.value
    #expect(values == Array(0..<20))
  }

  /// An element is a coroutine without a future: a failure that is caught inside must not cancel it.
  @Test func `an element goes on after a failed group of its own`() async throws {
    let calls = Calls()
    let future = Coroutine.start {
      try CoGroup.run { group in
        try group.map([1, 2]) { number in
          #expect(throws: Failure(code: number)) {
            try CoGroup.run { inner in
              _ = try inner.async { () throws -> Int in throw Failure(code: number) }
            }
          }
          return try calls.wait(number)
        }
      }
    }
    for number in [1, 2] { calls.end(number, .success(number)) }
    #expect(try await future.value == [1, 2])
  }
}
