import Dispatch
import Foundation
import ReactiveStreams
import TestSupport
import Testing

/// Threads send to subjects behind random operators, request, subscribe and cancel.
@Suite("Soak", .ownThread) struct SoakTests {
  /// A value's origin, and a witness of its life.
  private struct Value: Sendable {
    let subject: Int
    let sender: Int
    let number: Int
    let witness: Witness
  }

  private typealias Source = any Subject<Value, TestError>

  /// A subscriber that checks the rules, and the order of each sender's values to one subject.
  private final class Reader: Sendable {
    let probe: Probe<Value, TestError>
    let isCancelled = Guarded(false)

    init(countingDisorderIn disordered: Counter) {
      let latest = Guarded<[Int: Int]>([:])
      probe = Probe(
        keepsValues: false,
        onValue: { _, value in
          let isInOrder = latest.withLock { latest in
            let key = value.subject * SoakTests.threads + value.sender
            defer { latest[key] = value.number }
            return latest[key].map { $0 <= value.number } ?? true
          }
          if !isInOrder { disordered.add() }
          return .none
        })
    }

    func cancel() {
      isCancelled.withLock { $0 = true }
      probe.cancel()
    }

    /// Cancels or requests the rest; returns whether nothing more can come. Call it again: a subscription may come late, through a
    /// queue that has the subject's mailbox, and earlier calls have no effect.
    func end() -> Bool {
      let isSubscribed = probe.isSubscribed
      if isCancelled.withLock({ $0 }) {
        probe.cancel()
        if isSubscribed { return true }
      } else {
        probe.request(.unlimited)
      }
      return probe.completion != nil
    }
  }

  private final class Table: Sendable {
    let alive = Counter()
    let disordered = Counter()
    let sources: [Source]
    let readers = (0..<SoakTests.size).map { _ in Guarded<Reader?>(nil) }
    let all = Log<Reader>()

    init(_ random: inout SeededNumbers) {
      let first = (0..<4).map { [alive] in
        Value(subject: $0, sender: 0, number: -1, witness: Witness(alive))
      }
      sources = first.map {
        Bool.random(using: &random) ? PassthroughSubject() as Source : CurrentValueSubject($0)
      }
    }
  }

  private static let size = 12
  private static let threads = 3
  private static let operationsPerThread = 600

  @Test func `random operations on threads break no rule and leave nothing`() {
    let soak = Soak("ReactiveStreams", shortRounds: 4)
    let problem = soak.run(operations: Self.threads * Self.operationsPerThread, Self.round)
    #expect(problem == nil)
  }

  private static func round(_ seed: UInt64) -> String? {
    let alive: Counter
    do {
      var random = SeededNumbers(seed: seed)
      let table = Table(&random)
      alive = table.alive
      onThreads(threads) { thread in
        var random = SeededNumbers(seed: seed &* 31 &+ UInt64(thread))
        for number in 0..<operationsPerThread { perform(number, by: thread, on: table, &random) }
      }
      for source in table.sources { source.send(completion: .finished) }
      let readers = table.all.entries
      let deadline = ContinuousClock.now + .seconds(60)
      var open = readers
      while !open.isEmpty, ContinuousClock.now < deadline {
        open.removeAll { $0.end() }
        if !open.isEmpty { Soak.pause() }
      }
      if !open.isEmpty { return "\(open.count) of \(readers.count) streams have not ended" }
      if let violation = readers.lazy.flatMap(\.probe.violations).first { return "\(violation)" }
      if table.disordered.current > 0 { return "\(table.disordered.current) values are out of order" }
    }
    return comesTrue { alive.current == 0 } ? nil : "\(alive.current) values are alive"
  }

  private static func perform(_ number: Int, by thread: Int, on table: Table, _ random: inout SeededNumbers) {
    let target = Int.random(in: 0..<size, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0:
      let reader = Reader(countingDisorderIn: table.disordered)
      table.all.append(reader)
      pipeline(on: table, &random, depth: 0).subscribe(reader.probe)
      _ = table.readers[target].exchange(reader)
    case 1: table.readers[target].exchange(nil)?.cancel()
    case 2: table.readers[target].withLock { $0 }?.probe.request(.unlimited)
    case 3...8:
      let demand = Int.random(in: 1..<50, using: &random)
      table.readers[target].withLock { $0 }?.probe.request(.max(demand))
    default:
      let subject = Int.random(in: table.sources.indices, using: &random)
      table.sources[subject].send(
        Value(subject: subject, sender: thread, number: number, witness: Witness(table.alive)))
    }
  }

  private static let queues = (0..<2).map { DispatchQueue(label: "soak \($0)") }

  private static func pipeline(
    on table: Table, _ random: inout SeededNumbers, depth: Int
  ) -> AnyPublisher<Value, TestError> {
    if depth == 3 { return table.sources.randomElement(using: &random)!.eraseToAnyPublisher() }
    let upstream = pipeline(on: table, &random, depth: depth + 1)
    let witness = Witness(table.alive)
    let queue = queues.randomElement(using: &random)!
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return upstream.map { value in withExtendedLifetime(witness) { value } }.eraseToAnyPublisher()
    case 1: return upstream.filter { $0.number % 3 > 0 }.eraseToAnyPublisher()
    case 2: return upstream.buffer(size: 16, whenFull: .suspendUpstream).eraseToAnyPublisher()
    case 3:
      return upstream.buffer(size: 1_000_000, whenFull: .suspendUpstream).receive(on: queue)
        .eraseToAnyPublisher()
    case 4: return upstream.flatMap { Just($0).setFailureType(to: TestError.self) }.eraseToAnyPublisher()
    case 5: return upstream.concatMap { Just($0).setFailureType(to: TestError.self) }.eraseToAnyPublisher()
    case 6, 7: return upstream.prefix(200).eraseToAnyPublisher()
    case 8:
      return upstream.handleEvents(receiveCancel: { withExtendedLifetime(witness) {} }).eraseToAnyPublisher()
    case 9: return upstream.subscribe(on: queue).eraseToAnyPublisher()
    case 10:
      return upstream.merge(with: pipeline(on: table, &random, depth: depth + 1).filter { _ in false })
        .eraseToAnyPublisher()
    case 11:
      return upstream.zip(pipeline(on: table, &random, depth: depth + 1)).map { $0.0 }.eraseToAnyPublisher()
    case 12: return upstream.ensure { withExtendedLifetime(witness) {} }.eraseToAnyPublisher()
    default:
      let other = pipeline(on: table, &random, depth: depth + 1)
      return upstream.concatMap { _ in other.prefix(2) }.prefix(100).eraseToAnyPublisher()
    }
  }
}
