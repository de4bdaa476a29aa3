import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Future", .ownThread)
struct FutureTests {
  @Test func `the closure runs once and every subscriber gets the result, early or late`() {
    let runs = Log<Int>()
    let promises = Log<Future<Int, Never>.Promise>()
    let future = Future<Int, Never> { promise in
      runs.add(1)
      promises.add(promise)
    }
    let early = Probe<Int, Never>()
    future.subscribe(early)
    early.request(.max(1))
    #expect(early.values.isEmpty)
    promises.entries[0](.success(5))
    let late = Probe<Int, Never>()
    future.subscribe(late)
    late.request(.max(1))
    #expect(runs.entries == [1])
    #expect(early.values == [5] && late.values == [5])
    #expect(early.violations == [] && late.violations == [])
  }

  @Test func `only the first result counts`() {
    let future = Future<Int, TestError> { promise in
      promise(.failure(TestError(number: 1)))
      promise(.success(2))
    }
    let probe = Probe<Int, TestError>()
    future.subscribe(probe)
    #expect(probe.completion == .failure(TestError(number: 1)))
  }
}
