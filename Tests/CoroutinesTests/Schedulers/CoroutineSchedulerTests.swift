import Coroutines
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutineSchedulerTests {
  /// Two lines make one: a class that says how it runs a closure.
  private final class Own: CoroutineScheduler {
    let queue = DispatchQueue(label: "own")
    func schedule(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
  }

  private static let key = DispatchSpecificKey<String>()

  private static func queue(_ name: String) -> DispatchQueue {
    let queue = DispatchQueue(label: name)
    queue.setSpecific(key: key, value: name)
    return queue
  }

  private static var place: String? { DispatchQueue.getSpecific(key: key) }

  private static func operations(on queue: DispatchQueue) -> OperationQueue {
    let operations = OperationQueue()
    operations.underlyingQueue = queue
    return operations
  }

  /// Suspends, is made ready elsewhere, and yields: it is back where it belongs each time.
  @Test(arguments: ["queue", "operations", "own"]) func aCoroutineGoesOnOnItsScheduler(kind: String)
    async throws
  {
    let own = Own()
    own.queue.setSpecific(key: Self.key, value: kind)
    let scheduler: any CoroutineScheduler =
      switch kind {
      case "queue": Self.queue(kind)
      case "operations": Self.operations(on: Self.queue(kind))
      default: own
      }
    let places = try await Coroutine.start(on: scheduler) {
      var places = [Self.place]
      try Coroutine.withContinuation(of: Void.self) { continuation in
        DispatchQueue.global().async { continuation.resume() }
      }
      places.append(Self.place)
      Coroutine.yield()
      return places + [Self.place]
    }.value
    #expect(places == [kind, kind, kind])
  }

  @Test func theMainQueueIsAScheduler() async throws {
    DispatchQueue.main.setSpecific(key: Self.key, value: "main")
    let places = try await Coroutine.start(on: .main) {
      let before = Self.place
      Coroutine.yield()
      return [before, Self.place]
    }.value
    #expect(places == ["main", "main"])
  }

  @Test func awaitOnRunsTheClosureThereAndComesBack() async throws {
    let (home, away) = (Self.queue("home"), Self.queue("away"))
    let places = try await Coroutine.start(on: home) {
      [Self.place, try Coroutine.await(on: away) { Self.place }, Self.place]
    }.value
    #expect(places == ["home", "away", "home"])
  }

  private struct Failure: Error {}

  @Test func awaitOnThrowsWhatTheClosureThrows() async {
    await #expect(throws: Failure.self) {
      try await Coroutine.start {
        try Coroutine.await(on: DispatchQueue.global()) { () throws -> Int in throw Failure() }
      }.value
    }
  }

  /// Although the coroutine, whose scheduler has not got to it, has not come to take it back.
  @Test func whatWasCancelledBeforeItBeganNeverDoes() async {
    let (scheduler, away) = (SeededScheduler(seed: 1), SeededScheduler(seed: 1))
    let ran = Atomic<Bool>(false)
    let coroutine = Coroutine.start(on: scheduler) {
      try Coroutine.await(on: away) { ran.store(true, ordering: .relaxed) }
    }
    scheduler.run()
    coroutine.cancel()
    away.run()
    scheduler.run()
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    let hasRun = ran.load(ordering: .relaxed)
    #expect(!hasRun)
  }

  @Test func awaitOnThatIsCancelledBeforeItBeginsNeverDoes() async {
    let queue = DispatchQueue(label: "paused", attributes: .initiallyInactive)
    let ran = Atomic<Bool>(false)
    let coroutine = Coroutine.start { try Coroutine.await(on: queue) { ran.store(true, ordering: .relaxed) } }
    coroutine.cancel()
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    queue.activate()
    queue.sync {}
    let hasRun = ran.load(ordering: .relaxed)
    #expect(!hasRun)
  }

  @Test func aCoroutineMovesToAnotherScheduler() async throws {
    let (first, second) = (Self.queue("first"), Self.queue("second"))
    let places = try await Coroutine.start(on: first) {
      var places = [Self.place]
      Coroutine.move(to: second)
      places.append(Self.place)
      Coroutine.yield()
      places.append(Self.place)
      Coroutine.move(to: nil)
      Coroutine.yield()
      return places + [Self.place]
    }.value
    #expect(places == ["first", "second", "second", "second"])
  }

  @Test func theImmediateSchedulerRunsAtOnceAndNeverNests() async throws {
    let log = Mutex<[Int]>([])
    let promise = CoPromise<Int>()
    let waiting = Coroutine.start(on: .immediate) {
      _ = try promise.future.await()
      log.withLock { $0.append(2) }
    }
    let outer = Coroutine.start(on: .immediate) {
      promise.complete(.success(1))
      log.withLock { $0.append(1) }
    }
    #expect(log.withLock { $0 } == [1, 2])
    try await outer.value
    try await waiting.value
  }
}
