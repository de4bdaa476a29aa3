import ClosureTasks
import Coroutines
import Foundation
import Futures
import ReactiveStreams
import TestSupport
import Testing

/// A coroutine suspends in a callback of another runtime, and goes on on another thread.
@Suite(.ownThread) struct OtherRuntimesTests {
  private let pool = CoroutinePool(workers: 2)

  /// Goes on when the promise is answered, on the thread that answers it.
  private func suspend(until promise: CoPromise<Int>) -> @Sendable () -> Void { { _ = try? promise.await() } }

  @Test func `a thread's deliveries do not wait for a coroutine that suspended in a callback`() {
    let gate = CoPromise<Int>()
    let (first, second) = (Promise<Int>(), Promise<Int>())
    let log = Log<String>()
    first.future.whenComplete { [suspend = suspend(until: gate)] _ in
      suspend()
      log.append("resumed")
    }
    first.future.whenComplete { _ in log.append("behind it") }
    second.future.whenComplete { _ in log.append("another") }
    let coroutine = Coroutine.start { _ = first.succeed(1) }
    second.succeed(2)
    #expect(log.entries == ["another"])
    onThreads(1) { _ in gate.success(0) }
    #expect(coroutine.isResolved)
    #expect(log.entries == ["another", "resumed", "behind it"])
  }

  @Test func `callbacks that move between threads are called once and in one frame`() async throws {
    let promises = (0...20_000).map { _ in Promise<Int>() }
    let log = Log<Int>()
    for (promise, next) in zip(promises, promises.dropFirst()) {
      promise.future.whenComplete { [pool] result in
        let number = try! result.get()
        if number % 4 == 0 { _ = try? Coroutine.start(on: pool) { 0 }.await() }
        log.append(number)
        next.succeed(number + 1)
      }
    }
    try await Coroutine.start(on: pool) { _ = promises[0].succeed(0) }.value
    #expect(log.entries == Array(0..<20_000))
  }

  @Test func `suspended steps of tasks do not block others on their thread`() {
    let gate = CoPromise<Int>()
    let ended = Counter()
    let coroutines = (0..<200).map { _ in
      Coroutine.start { [suspend = suspend(until: gate)] in
        let step = ClosureTask<Int> {
          suspend()
          $0.finish(with: 1)
        }
        ClosureTask.group([step, step]).perform(on: nil) { _ in ended.add() }
      }
    }
    let other = Counter()
    ClosureTask.group([ClosureTask<Int> { $0.finish(with: 1) }]).map(\.count).perform(on: nil) { _ in
      other.add()
    }
    #expect(other.current == 1)
    onThreads(1) { _ in gate.success(0) }
    #expect(coroutines.allSatisfy { $0.isResolved })
    #expect(ended.current == 200)
    let deep = (0..<10_000).reduce(ClosureTask<Int> { $0.finish(with: 1) }) { task, _ in task.map { $0 } }
    deep.perform(on: nil) { _ in other.add() }
    #expect(other.current == 2)
  }

  @Test func `tasks whose steps move between threads end once`() async throws {
    let ended = Counter()
    for _ in 0..<200 {
      try await Coroutine.start(on: pool) { [pool] in
        let step = ClosureTask<Int> { controller in
          controller.finish(with: (try? Coroutine.start(on: pool) { 1 }.await()) ?? 0)
        }
        let task = (0..<100).reduce(step) { task, _ in task.then { _ in step } }
        ClosureTask.group([task, task], limit: 1).perform(on: nil) { result in
          if (try? result.get()) == [1, 1] { ended.add() }
        }
      }.value
    }
    #expect(ended.current == 200)
  }

  @Test func `suspended cancel handlers do not block other cancellations`() {
    let gate = CoPromise<Int>()
    let handled = Counter()
    let promises = (0..<100).map { _ in Promise<Int>() }
    func combined(_ promise: Promise<Int>) -> Futures.Future<[Int]> {
      promise.onCancel { [suspend = suspend(until: gate)] in
        suspend()
        handled.add()
      }
      return Future.all([promise.future])
    }
    let coroutines = promises.map { promise in
      let future = combined(promise)
      return Coroutine.start { future.cancel() }
    }
    let promise = Promise<Int>()
    Futures.Future.all([promise.future]).cancel()
    #expect(promise.isCancelled)
    onThreads(1) { _ in gate.success(0) }
    #expect(coroutines.allSatisfy { $0.isResolved } && handled.current == 100)
  }

  @Test func `sinks that suspend get every value once and in order`() async throws {
    let subject = PassthroughSubject<Int, Never>()
    let log = Log<Int>()
    let sink = subject.map { $0 }.sink { [pool] value in
      if Coroutine.isInsideCoroutine { _ = try? Coroutine.start(on: pool) { 0 }.await() }
      log.append(value)
    }
    let coroutines = (0..<8).map { number in
      Coroutine.start(on: pool) { for value in 0..<500 { subject.send(number * 500 + value) } }
    }
    for coroutine in coroutines { try await coroutine.value }
    withExtendedLifetime(sink) {}
    #expect(log.entries.sorted() == Array(0..<4_000))
    for number in 0..<8 {
      let own = log.entries.filter { $0 / 500 == number }
      #expect(own == own.sorted())
    }
  }

  // MARK: The stack of a coroutine is smaller than a thread's

  /// 64 KB are too small for that many frames, however small.
  private static let depth = Effort.count(2_000, thorough: 10_000)

  enum Combined: CaseIterable { case all, any, zip }

  @Test(arguments: Combined.allCases)
  func `deep combinations are answered and cancelled on the stack of a coroutine`(kind: Combined) async throws
  {
    for cancels in [true, false] {
      let promise = Promise<Int>()
      let last = (0..<2 * Self.depth).reduce(promise.future) { inner, _ in
        switch kind {
        case .all: Future.all([inner]).map { $0[0] }
        case .any: Future.any([inner])
        case .zip: Future.zip(inner, Future(value: 1)).map { $0.0 }
        }
      }
      try await Coroutine.start(stackByteCount: 64 << 10) {
        if cancels { last.cancel() } else { promise.succeed(1) }
      }.value
      #expect(last.isComplete && last.isCancelled == cancels && promise.isCancelled == cancels)
    }
  }

  enum Composed: CaseIterable { case group, any, zip, then, recover, retry, timeout }

  @Test(arguments: Composed.allCases)
  func `deep tasks run and are cancelled and freed on the stack of a coroutine`(kind: Composed) async throws {
    for cancels in [true, false] {
      let ended = Counter()
      try await Coroutine.start(stackByteCount: 64 << 10) {
        let controller = Guarded<ClosureTask<Int>.Controller?>(nil)
        let first = ClosureTask<Int> { given in controller.withLock { $0 = given } }
        let task = (0..<Self.depth).reduce(first) { inner, _ in
          switch kind {
          case .group: ClosureTask.group([inner]).map { $0[0] }
          case .any: ClosureTask.any([inner])
          case .zip: ClosureTask.zip(inner, ClosureTask { $0.finish(with: 1) }).map { $0.0 }
          case .then: inner.then { value in ClosureTask { $0.finish(with: value) } }
          case .recover: inner.recover { throw $0 }
          case .retry: inner.retry(attempts: 2, if: { _ in false })
          case .timeout: inner.timeout(after: .seconds(3600))
          }
        }
        let run = task.perform(on: nil) { _ in ended.add() }
        if cancels { run.cancel() } else { controller.exchange(nil)?.finish(with: 1) }
      }.value
      #expect(ended.current == 1)
    }
  }

  @Test func `nested errors are freed on the stack of a coroutine`() async throws {
    let last = try await Coroutine.start(stackByteCount: 64 << 10) {
      let last = (0..<Self.depth).reduce(Future<Int>(error: Failure())) { inner, _ in Future.any([inner]) }
      #expect(last.isComplete)
      return WeakReference(last)
    }.value
    #expect(last.object == nil)
  }

  @Test func `deep chains of erased publishers are dropped on the stack of a coroutine`() async throws {
    let alive = Counter()
    try await Coroutine.start(stackByteCount: 64 << 10) {
      let witness = Witness(alive)
      let first = Just(1).map { value in withExtendedLifetime(witness) { value } }.eraseToAnyPublisher()
      let chain = (0..<Self.depth).reduce(first) { chain, _ in chain.map { $0 + 1 }.eraseToAnyPublisher() }
      withExtendedLifetime(chain) { #expect(alive.current == 1) }
    }.value
    #expect(alive.current == 0)
  }
}
