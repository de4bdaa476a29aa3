import Dispatch
import ReactiveStreams
import TestSupport
import Testing

/// One stream whose subjects the test ends, and what its subscriber sees.
private final class ObservedStream: Observed {
  /// `closings`: by the test, which ends the subject, and by the stream, which cancels it.
  private typealias Part = (subject: PassthroughSubject<Int, Failure>, ends: Counter, closings: Counter)
  private let parts = Log<Part>()
  private let values = Counter()
  private let valuesAtEnd = Guarded<Int?>(nil)
  private let completions = Counter()
  private let cancellations = Counter()
  private let link = Guarded<AnyCancellable?>(nil)
  let time = TestScheduler()
  private let wrong: Log<String>
  private let name: String

  init(_ name: String, _ wrong: Log<String>) { (self.name, self.wrong) = (name, wrong) }

  var hasCompleted: Bool { completions.current + cancellations.current > 0 }

  /// A subject of its own, made when it is subscribed to.
  var part: AnyPublisher<Int, Failure> {
    Deferred {
      let part: Part = (PassthroughSubject(), Counter(), Counter())
      self.parts.append(part)
      return part.subject.handleEvents(receiveCancel: { part.closings.add() }).ensure { part.ends.add() }
    }.eraseToAnyPublisher()
  }

  func subscribe(_ make: (ObservedStream) -> AnyPublisher<Int, Failure>) {
    _ = link.exchange(
      make(self).sink { _ in
        self.end()
      } receiveValue: { _ in
        self.values.add()
        self.expect(self.completions.current == 0, "a value comes after the end")
      })
  }

  func cancel() {
    link.withLock { $0 }!.cancel()
    cancellations.add()
  }

  func endParts(reversed: Bool) {
    let open = parts.entries.enumerated()
    for (index, part) in reversed ? open.reversed() : Array(open) {
      part.subject.send(index)
      part.closings.add()
      part.subject.send(completion: index % 3 == 2 ? .failure(Failure()) : .finished)
    }
  }

  func passTime() { time.advance(by: .seconds(1)) }

  func checkEnd() {
    expect(completions.current <= 1 && hasCompleted, "\(completions.current) ends")
    if let before = valuesAtEnd.withLock({ $0 }) {
      expect(before == values.current, "a value comes after the end")
    }
    checkParts()
    for part in parts.entries { expect(part.ends.current == 1, "\(part.ends.current) ends of a part") }
  }

  private func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append("\(name): \(what)") } }

  private func end() {
    completions.add()
    _ = valuesAtEnd.exchange(values.current)
    checkParts()
  }

  private func checkParts() {
    for part in parts.entries { expect(part.closings.current > 0, "a part goes on") }
    expect(time.pendingCount == 0, "a timer goes on")
  }
}

@Suite(.ownThread) struct AfterCompletionTests {
  private typealias Shape = (name: String, stream: @Sendable (ObservedStream) -> AnyPublisher<Int, Failure>)

  private static let shapes: [Shape] = [
    ("alone", { $0.part }),
    ("map", { $0.part.map { $0 + 1 }.eraseToAnyPublisher() }),
    ("first", { $0.part.first().eraseToAnyPublisher() }),
    ("collect", { $0.part.collect().map(\.count).eraseToAnyPublisher() }),
    ("flatMap", { all in all.part.flatMap { _ in all.part }.eraseToAnyPublisher() }),
    ("concatMap", { all in all.part.concatMap { _ in all.part }.eraseToAnyPublisher() }),
    ("merge", { [$0.part, $0.part, $0.part].merge().eraseToAnyPublisher() }),
    ("zip", { [$0.part, $0.part].zip().map(\.count).eraseToAnyPublisher() }),
    ("zip of two", { $0.part.zip($0.part).map { $0 + $1 }.eraseToAnyPublisher() }),
    ("any", { [$0.part, $0.part, $0.part].any().eraseToAnyPublisher() }),
    ("retry", { [$0.part, $0.part, $0.part].merge().retry(1).eraseToAnyPublisher() }),
    ("catch", { all in all.part.catch { _ in all.part }.eraseToAnyPublisher() }),
    (
      "timeout",
      { all in all.part.timeout(.seconds(1), scheduler: all.time) { Failure(code: 2) }.eraseToAnyPublisher() }
    ),
    (
      "nested",
      { all in
        [[all.part, all.part].any().eraseToAnyPublisher(), all.part].zip()
          .timeout(.seconds(1), scheduler: all.time).map(\.count).eraseToAnyPublisher()
      }
    ),
  ]

  @Test func `at the end a subscriber sees that all has ended, whatever races`() {
    let problems = raceEnds(of: Self.shapes) { shape, wrong in
      let stream = ObservedStream(shape.name, wrong)
      stream.subscribe(shape.stream)
      return stream
    }
    #expect(problems == [])
  }

  @Test func `a failure is sent after another thread has stopped the losers of a race`() {
    let (winner, loser) = (PassthroughSubject<Int, Failure>(), PassthroughSubject<Int, Failure>())
    let failing = PassthroughSubject<Int, Failure>()
    let (isStopping, hasFailed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let log = Log<String>()
    let slow = loser.handleEvents(receiveCancel: {
      isStopping.signal()
      hasFailed.wait()
      log.append("stopped")
    })
    let race = [winner.eraseToAnyPublisher(), slow.eraseToAnyPublisher()].any()
    let link = race.zip(failing).sink { _ in
      log.append("ended")
    } receiveValue: { _ in
    }
    Opponent().race {
      winner.send(1)
    } against: {
      isStopping.wait()
      failing.send(completion: .failure(Failure()))
      hasFailed.signal()
    }
    withExtendedLifetime(link) {}
    #expect(log.entries == ["stopped", "ended"])
  }

  @Test func `an ended subject keeps its last value, whatever races`() {
    let (wrong, opponent) = (Log<String>(), Opponent())
    for round in 0..<Effort.count(3_000, thorough: 100_000) {
      let subject = CurrentValueSubject<Int, Never>(0)
      let (last, end) = (Guarded(0), Guarded<Int?>(nil))
      let link = subject.sink { _ in
        _ = end.exchange(subject.value)
      } receiveValue: { value in
        _ = last.exchange(value)
      }
      opponent.race {
        for value in 1..<4 { subject.send(value) }
        if round % 2 == 0 { subject.send(completion: .finished) }
      } against: {
        subject.send(completion: .finished)
        subject.send(9)
      }
      withExtendedLifetime(link) {}
      let (seen, now) = (end.withLock { $0 }, subject.value)
      if seen != now || last.withLock({ $0 }) != now { wrong.append("\(now) after \(seen ?? -1)") }
    }
    #expect(Set(wrong.entries) == [])
  }
}
