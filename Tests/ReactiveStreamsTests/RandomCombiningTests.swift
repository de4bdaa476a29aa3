import Dispatch
import ReactiveStreams
import TestSupport
import Testing

/// Sources that send at random from threads of their own, through each combining operator, compared with a model: all values come, with
/// each source's order kept, one signal at a time.
@Suite("Random combining", .ownThread) struct RandomCombiningTests {
  /// Value `number` of source `source`.
  struct Item: Hashable, Sendable {
    var source: Int
    var number: Int
  }

  struct Scenario: Sendable, CustomTestStringConvertible {
    var operation: Operation
    var seed: UInt64
    var testDescription: String { "\(operation) \(seed)" }

    enum Operation: CaseIterable { case merge, flatMap, concatMapEager, zip }

    static let all = Operation.allCases.flatMap { operation in
      (0..<UInt64(Effort.count(25, thorough: 400))).map { Scenario(operation: operation, seed: $0) }
    }
  }

  /// Sends the source's items, from a thread of its own, then the end.
  private struct Source: Sendable {
    let items: [Item]
    /// Whether it goes on without demand, as a subject does, or waits for it, as a sequence does.
    let isHot: Bool
    let subject = PassthroughSubject<Item, Never>()
    /// Inactive until `play`: a source that sends while demand is passed on delays it, and a subject drops values without demand.
    let queue = DispatchQueue(label: "source", attributes: .initiallyInactive)

    var publisher: AnyPublisher<Item, Never> {
      isHot ? subject.eraseToAnyPublisher() : items.publisher.subscribe(on: queue).eraseToAnyPublisher()
    }

    func play(_ group: DispatchGroup) {
      queue.activate()
      guard isHot else { return }
      queue.async(group: group) {
        for item in items { subject.send(item) }
        subject.send(completion: .finished)
      }
    }
  }

  @Test(arguments: Scenario.all)
  func `nothing is lost, and each source's order is kept`(_ scenario: Scenario) {
    var random = SeededNumbers(seed: scenario.seed)
    let sources = (0..<Int.random(in: 2...4, using: &random)).map { source in
      Source(
        items: (0..<Int.random(in: 0...300, using: &random)).map { Item(source: source, number: $0) },
        isHot: Int.random(in: 0..<3, using: &random) > 0)
    }
    // A first small request comes before the sends, because hot sources drop values without demand.
    let requestsTwice = Bool.random(using: &random)
    let probe = Probe<[Item], Never>()
    let publishers = sources.map(\.publisher)
    switch scenario.operation {
    case .merge: publishers.merge().map { [$0] }.subscribe(probe)
    case .flatMap: sources.indices.publisher.flatMap { publishers[$0] }.map { [$0] }.subscribe(probe)
    case .concatMapEager: publishers.publisher.concatMapEager { $0 }.map { [$0] }.subscribe(probe)
    case .zip: publishers.zip().subscribe(probe)
    }
    if requestsTwice { probe.request(.max(1)) }
    probe.request(.unlimited)
    let group = DispatchGroup()
    for source in sources { source.play(group) }
    group.wait()
    #expect(probe.wait { $0.completion != nil })
    #expect(probe.violations == [])
    check(probe.values, scenario.operation, sources.map(\.items))
  }

  /// The model.
  private func check(_ values: [[Item]], _ operation: Scenario.Operation, _ sources: [[Item]]) {
    let sent = sources.flatMap { $0 }
    switch operation {
    case .merge, .flatMap:
      #expect(values.count == sent.count)
      for (index, items) in sources.enumerated() {
        #expect(values.map { $0[0] }.filter { $0.source == index } == items)
      }
    case .concatMapEager: #expect(values.map { $0[0] } == sent)
    case .zip:
      let length = sources.map(\.count).min()!
      #expect(values == (0..<length).map { number in sources.map { $0[number] } })
    }
  }

  @Test(arguments: Scenario.Operation.allCases)
  func `values sent before a failure come before it`(_ operation: Scenario.Operation) {
    for round in 0..<Effort.count(150, thorough: 1500) {
      let subjects = (0..<2).map { _ in PassthroughSubject<Int, TestError>() }
      let probe = Probe<[Int], TestError>()
      switch operation {
      case .merge: subjects.merge().map { [$0] }.subscribe(probe)
      case .flatMap: subjects.indices.publisher.flatMap { subjects[$0] }.map { [$0] }.subscribe(probe)
      case .concatMapEager: subjects.publisher.concatMapEager { $0 }.map { [$0] }.subscribe(probe)
      case .zip: subjects.zip().subscribe(probe)
      }
      probe.request(.unlimited)
      // The other sends the same number of negative values, and before that, where the failing one needs partners.
      if operation == .zip { for value in 1...round + 1 { subjects[1].send(-value) } }
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        for value in 1...round + 1 { subjects[index].send(index == 0 ? value : -value) }
        if index == 0 { subjects[0].send(completion: .failure(TestError())) }
      }
      #expect(probe.values.map { $0[0] }.filter { $0 > 0 } == Array(1...round + 1))
      #expect(probe.completion == .failure(TestError()) && probe.violations == [])
    }
  }
}
