import Coroutines
import TestSupport
import Testing

/// One future whose promises the test answers, and what its callbacks see.
private final class ObservedFuture: Sendable {
  private let promises = Log<CoPromise<Int>>()
  /// Futures that must have ended when the whole has.
  private let parts = Log<AnyCoFuture>()
  private let callbacks = Counter()
  private let whole = Guarded<CoFuture<Int>?>(nil)
  private let scope = CoScope()
  let time = ManualCoTimer()
  private let wrong: Log<String>
  private let name: String

  init(_ name: String, _ wrong: Log<String>) { (self.name, self.wrong) = (name, wrong) }

  var hasCompleted: Bool { callbacks.current > 0 }

  var open: CoPromise<Int> {
    let promise = CoPromise<Int>()
    promises.append(promise)
    return promise
  }

  /// A future with no other waiter than the whole.
  var part: CoFuture<Int> { child(open) }

  func child(_ future: CoFuture<Int>) -> CoFuture<Int> {
    parts.append(future)
    return future
  }

  func observe(_ make: (ObservedFuture) -> CoFuture<Int>) {
    let future = make(self)
    _ = whole.exchange(future)
    future.added(to: scope)
    future.whenComplete { self.observe(future, $0) }
    future.whenComplete { _ in self.callbacks.add() }
  }

  func cancel() { whole.withLock { $0 }!.cancel() }

  func endParts(reversed: Bool = false) {
    let open = promises.entries.enumerated()
    for (index, promise) in reversed ? open.reversed() : Array(open) {
      if index % 3 == 2 { promise.fail(Failure()) } else { promise.success(index) }
      expect(promise.isResolved && promise.result != nil, "a promise that was answered is open")
    }
  }

  /// From any thread.
  func look() {
    let future = whole.withLock { $0 }!
    guard future.isResolved else { return }
    expect(future.result != nil, "it has ended without a result")
    expect(scope.isEmpty, "its scope holds what was seen to end")
  }

  func checkEnd() { expect(callbacks.current == 1, "\(callbacks.current) completions") }

  private func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append("\(name): \(what)") } }

  private func observe(_ future: CoFuture<Int>, _ outcome: Result<Int, any Error>) {
    expect(future.isResolved, "its callback comes before its end")
    var isCancellation = false
    switch (outcome, future.result) {
    case (.success(let value), .success(let held)?): expect(value == held, "it holds another value")
    case (.failure(let error), .failure?): isCancellation = error is CancellationError
    default: expect(false, "it holds another result")
    }
    expect(future.isCanceled == isCancellation, "it and its outcome disagree about a cancellation")
    for part in parts.entries { expect(part.isResolved, "a part goes on") }
    expect(time.pendingCount == 0, "a timer goes on")
    expect(scope.isEmpty, "its scope holds what has ended")
  }
}

@Suite(.ownThread) struct AfterCompletionTests {
  private static let shapes: [(name: String, future: @Sendable (ObservedFuture) -> CoFuture<Int>)] = [
    ("alone", { $0.part }),
    ("map", { $0.part.map { $0 + 1 } }),
    (
      "coroutine",
      { all in
        let (first, second) = (all.open, all.open)
        return CoFuture { try first.await() + second.await() }
      }
    ),
    (
      "timeout",
      { all in
        let promise = all.open
        return CoFuture { try promise.await(timeout: .seconds(1), on: all.time) }
      }
    ),
    (
      "delay",
      { all in
        CoFuture {
          try Coroutine.delay(.seconds(1), on: all.time)
          return 1
        }
      }
    ),
    (
      "group",
      { all in
        let promises = (0..<3).map { _ in all.open }
        return CoFuture {
          try CoGroup.run { group in
            for promise in promises { _ = all.child(try group.async { try promise.await() }) }
            return 1
          }
        }
      }
    ),
    (
      "any in a group",
      { all in
        let (first, second) = (all.open, all.open)
        return CoFuture { try CoGroup.any({ try first.await() }, { try second.await() }) }
      }
    ),
    (
      "timeout in a group",
      { all in
        let promises = (0..<2).map { _ in all.open }
        return CoFuture {
          try Coroutine.withTimeout(.seconds(1), on: all.time) {
            try CoGroup.run { group in
              for promise in promises { _ = all.child(try group.async { try promise.await() }) }
              return 1
            }
          }
        }
      }
    ),
  ]

  @Test func `a callback sees that all is complete, whatever races`() {
    let (wrong, opponent) = (Log<String>(), Opponent())
    for round in 0..<Effort.count(3_000, thorough: 100_000) {
      let shape = Self.shapes[round % Self.shapes.count]
      let future = ObservedFuture(shape.name, wrong)
      future.observe(shape.future)
      opponent.race {
        future.endParts()
        future.look()
      } against: {
        switch round / Self.shapes.count % 4 {
        case 0: future.cancel()
        case 1: future.endParts(reversed: true)
        case 2: _ = future.time.advanceToNext()
        default: for _ in 0..<50 { future.look() }
        }
        future.look()
      }
      for _ in 0..<10 where !future.hasCompleted {
        future.endParts()
        future.time.advanceToNext()
      }
      future.checkEnd()
    }
    #expect(Set(wrong.entries) == [])
  }

  @Test func `a channel that has ended is closed, and holds nothing once cancelled, whatever races`() {
    let (wrong, opponent) = (Log<String>(), Opponent())
    for round in 0..<Effort.count(3_000, thorough: 100_000) {
      let channel = CoChannel<Int>(capacity: round % 3)
      let callbacks = Counter()
      @Sendable func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
      @Sendable func look() {
        if channel.isCanceled { expect(channel.isClosed && channel.count == 0, "cancelled, and goes on") }
      }
      channel.whenComplete {
        expect(channel.isClosed, "its callback comes before its end")
        callbacks.add()
        look()
      }
      let sender = CoFuture { for number in 0..<3 { try channel.awaitSend(number) } }
      let receiver = CoFuture { try channel.awaitReceive() }
      opponent.race {
        if round % 2 == 0 { channel.close() } else { channel.cancel() }
        expect(channel.isClosed, "it was ended, and is open")
        expect(!channel.offer(1), "it takes an element after its end")
        look()
      } against: {
        switch round / 3 % 3 {
        case 0: channel.cancel()
        case 1: channel.close()
        default: channel.offer(7)
        }
        look()
      }
      while channel.poll() != nil {}
      expect(callbacks.current == 1, "\(callbacks.current) callbacks")
      expect(sender.isResolved && receiver.isResolved, "a coroutine waits for a channel that has ended")
    }
    #expect(Set(wrong.entries) == [])
  }
}
