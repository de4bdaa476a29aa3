import Coroutines
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutineSchedulerTests {
  /// One method is enough.
  private final class Own: CoroutineScheduler {
    let queue = DispatchQueue(label: "own")
    func scheduleTask(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
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

  /// Suspends, is made ready elsewhere, and yields: it is back on its scheduler each time.
  @Test(arguments: ["queue", "operations", "own"])
  func `a coroutine goes on on its scheduler`(kind: String) async throws {
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

  @Test func `the main queue is a scheduler`() async throws {
    DispatchQueue.main.setSpecific(key: Self.key, value: "main")
    let places = try await DispatchQueue.main.coroutineFuture {
      let before = Self.place
      Coroutine.yield()
      return [before, Self.place]
    }.value
    #expect(places == ["main", "main"])
  }

  @Test func `await on runs the closure there and comes back`() async throws {
    let (home, away) = (Self.queue("home"), Self.queue("away"))
    let places = try await Coroutine.start(on: home) {
      [Self.place, try away.await { Self.place }, Self.place]
    }.value
    #expect(places == ["home", "away", "home"])
  }

  @Test func `await on throws the closure's error`() async {
    await #expect(throws: Failure.self) {
      try await Coroutine.start {
        try DispatchQueue.global().await { () throws -> Int in throw Failure() }
      }.value
    }
  }

  /// Even if the coroutine's scheduler has not run it yet to cancel the closure.
  @Test func `a closure cancelled before it began never begins`() async {
    let (scheduler, away) = (SeededScheduler(seed: 1), SeededScheduler(seed: 1))
    let ran = Counter()
    let coroutine = Coroutine.start(on: scheduler) { try away.await { ran.add() } }
    scheduler.run()
    coroutine.cancel()
    away.run()
    scheduler.run()
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    #expect(ran.current == 0)
  }

  @Test func `a coroutine moves to another scheduler`() async throws {
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

  @Test func `start coroutine runs on the queue and keeps its error to itself`() {
    let (queue, log) = (Self.queue("start"), Log<String>())
    queue.startCoroutine {
      log.append(Self.place ?? "elsewhere")
      throw Failure()
    }
    queue.sync {}
    #expect(log.entries == ["start"])
  }

  @Test func `a main actor's task runs on the main queue`() async {
    let ran = Log<Bool>()
    await withCheckedContinuation { continuation in
      DispatchQueue.main.startCoroutine { @MainActor in
        ran.append(Coroutine.isInsideCoroutine)
        continuation.resume()
      }
    }
    #expect(ran.entries == [true])
  }

  /// Its result and captures need not be `Sendable`: it does not escape.
  @Test func `await takes and returns the coroutine's own values`() async throws {
    final class Box { var value = 1 }
    let queue = DispatchQueue.global()
    let value = try await CoFuture {
      var calls = 0
      let box: Box = try queue.await {
        calls += 1
        let box = Box()
        box.value += calls
        return box
      }
      return box.value
    }.value
    #expect(value == 2)
  }

  @Test func `await's task is no coroutine`() async throws {
    let isInside = try await CoFuture { try DispatchQueue.global().await { Coroutine.isInsideCoroutine } }
      .value
    #expect(!isInside)
  }
}

/// Schedulers that release tasks without running them.
@Suite(.ownThread) struct DroppingSchedulerTests {
  /// Runs so many tasks, and drops those that come after.
  private final class Dropping: CoroutineScheduler {
    private let left: Counter
    init(after count: Int) {
      left = Counter()
      left.add(count)
    }
    func scheduleTask(_ task: @escaping @Sendable () -> Void) { if left.add(-1) >= 0 { task() } }
  }

  @Test func `a coroutine that has not begun fails`() async {
    let future = Dropping(after: 0).coroutineFuture { Issue.record("it was dropped") }
    await #expect(throws: CoroutineError.dropped) { try await future.value }
  }

  @Test func `one that has is cancelled and goes on elsewhere`() async {
    let (promise, log) = (CoPromise<Int>(), Log<String>())
    let future = Dropping(after: 1).coroutineFuture {
      defer { log.append("cleaned up") }
      log.append("\(try promise.await()) \(Coroutine.isCancelled)")
      try Coroutine.delay(.seconds(3_600))
    }
    promise.success(1)
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(log.entries == ["1 true", "cleaned up"])
  }

  @Test func `a coroutine that yields is cancelled too`() async {
    let future = Dropping(after: 1).coroutineFuture {
      Coroutine.yield()
      try Coroutine.checkCancellation()
    }
    await #expect(throws: CancellationError.self) { try await future.value }
  }

  @Test func `an await on it throws`() async {
    let future = CoFuture { try Dropping(after: 0).await { Issue.record("it was dropped") } }
    await #expect(throws: CoroutineError.dropped) { try await future.value }
  }

  @Test(arguments: [nil, 2] as [Int?]) func `a group fails`(limit: Int?) async {
    let dropping = Dropping(after: 2)
    let future = CoFuture {
      try CoGroup.run(on: dropping, limit: limit) { group in try group.map(Array(0..<5)) { $0 } }
    }
    await #expect(throws: CoroutineError.dropped) { try await future.value }
    let other = CoFuture {
      try CoGroup.run(on: Dropping(after: 0)) { group in try group.async { 1 }.await() }
    }
    await #expect(throws: CoroutineError.dropped) { try await other.value }
  }

  /// An element of a `map` has no future.
  @Test func `an element that has begun goes on elsewhere`() async {
    let (promise, log) = (CoPromise<Int>(), Log<Int>())
    let future = CoFuture {
      try CoGroup.run(on: Dropping(after: 1)) { group in
        try group.map([7]) { number in
          defer { log.append(number) }
          _ = try promise.await()
          try Coroutine.delay(.seconds(3_600))
        }
      }
    }
    promise.success(1)
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(log.entries == [7])
  }
}
