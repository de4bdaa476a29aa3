import Futures
import RuntimeSupport
import TestSupport
import Testing

/// One future whose promises the test answers, and what its callbacks see.
private final class ObservedFuture: Observed {
  private let promises = Log<(promise: Promise<Int>, cancellations: Counter)>()
  private let callbacks = Counter()
  private let whole = Guarded<Future<Int>?>(nil)
  private let time = ManualTimerSource()
  private let wrong: Log<String>
  private let name: String

  init(_ name: String, _ wrong: Log<String>) { (self.name, self.wrong) = (name, wrong) }

  var hasCompleted: Bool { callbacks.current > 0 }

  var part: Future<Int> {
    let (promise, cancellations) = (Promise<Int>(), Counter())
    promise.onCancel { cancellations.add() }
    promises.append((promise, cancellations))
    return promise.future
  }

  func observe(_ make: (ObservedFuture) -> Future<Int>) {
    inTime {
      let future = make(self)
      _ = whole.exchange(future)
      future.whenComplete { self.observe(future, $0) }
      future.whenComplete { _ in self.callbacks.add() }
    }
  }

  func cancel() {
    let future = whole.withLock { $0 }!
    future.cancel()
    expect(future.isComplete, "it goes on after a cancellation")
  }

  func endParts(reversed: Bool) {
    let open = promises.entries.enumerated()
    inTime {
      for (index, (promise, _)) in reversed ? open.reversed() : Array(open) {
        if index % 3 == 2 { promise.fail(Failure()) } else { promise.succeed(index) }
        expect(promise.future.isComplete, "a promise that was answered is open")
      }
    }
  }

  func passTime() { inTime { _ = time.advanceToNext() } }

  func checkEnd() { expect(callbacks.current == 1, "\(callbacks.current) completions") }

  private func inTime(_ body: () -> Void) { TimerSource.$current.withValue(time, operation: body) }
  private func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append("\(name): \(what)") } }

  private func observe(_ future: Future<Int>, _ outcome: Result<Int, any Error>) {
    expect(future.isComplete, "its callback comes before its end")
    switch (outcome, future.result) {
    case (.success(let value), .success(let held)?): expect(value == held, "it holds another value")
    case (.failure, .failure?): break
    default: expect(false, "it holds another result")
    }
    if future.isCancelled, case .success = outcome { expect(false, "it is cancelled, and has a value") }
    for (promise, cancellations) in promises.entries {
      expect(promise.future.isComplete, "a part goes on")
      expect(promise.isCancelled == promise.future.isCancelled, "a promise and its future disagree")
      expect(cancellations.current == (promise.isCancelled ? 1 : 0), "wrong handler calls of a part")
    }
    expect(time.pendingCount == 0, "a timer goes on")
  }
}

@Suite(.ownThread) struct AfterCompletionTests {
  private static let shapes: [(name: String, future: @Sendable (ObservedFuture) -> Future<Int>)] = [
    ("alone", { $0.part }),
    ("map", { $0.part.map { $0 + 1 } }),
    ("flatMap", { all in all.part.flatMap { _ in all.part } }),
    ("recover", { $0.part.recover { _ in 0 } }),
    ("ensure", { $0.part.ensure {} }),
    ("all", { Future.all([$0.part, $0.part, $0.part]).map(\.count) }),
    ("limited", { all in Future.all(0..<3, limit: 2) { _ in all.part }.map(\.count) }),
    ("in order", { Future.inOrderOfCompletion([$0.part, $0.part, $0.part]).map(\.count) }),
    ("any", { .any([$0.part, $0.part, $0.part]) }),
    ("race", { .race([$0.part, $0.part]) }),
    ("zip", { Future.zip($0.part, $0.part.map { "\($0)" }).map(\.0) }),
    ("timeout", { $0.part.timeout(after: .seconds(1)) }),
    ("after", { all in Future.after(.seconds(1), value: 1).flatMap { _ in all.part } }),
    (
      "retry",
      { all in Future.retry(attempts: 2) { Future.all([all.part, all.part, all.part]).map(\.count) } }
    ),
    (
      "nested",
      { Future.all([.any([$0.part, $0.part]).timeout(after: .seconds(1)), $0.part.ensure {}]).map(\.count) }
    ),
  ]

  @Test func `a callback sees that all is complete, whatever races`() {
    let problems = raceEnds(of: Self.shapes) { shape, wrong in
      let future = ObservedFuture(shape.name, wrong)
      future.observe(shape.future)
      return future
    }
    #expect(problems == [])
  }

  @Test func `a failure is reported after a value that takes long to store, whatever races`() {
    let (wrong, opponent, value) = (Log<String>(), Opponent(), Large())
    for _ in 0..<Effort.count(3_000, thorough: 30_000) {
      let (slow, failing) = (Promise<Large>(), Promise<Large>())
      Future.all([slow.future, failing.future]).whenComplete { _ in
        if !slow.future.isComplete { wrong.append("a part goes on") }
      }
      opponent.race {
        slow.succeed(value)
      } against: {
        failing.fail(Failure())
      }
    }
    #expect(wrong.entries.isEmpty)
  }
}

/// A value of 256 KiB.
private struct Large {
  struct Eight<Part: Sendable>: Sendable {
    let parts: (Part, Part, Part, Part, Part, Part, Part, Part)
    init(_ part: Part) { parts = (part, part, part, part, part, part, part, part) }
  }

  let words = Eight(Eight(Eight(Eight(Eight(0)))))
}
