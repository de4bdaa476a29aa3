import ReactiveStreams
import TestSupport
import Testing

@Suite("Operators obey the rules of both sides", .ownThread) struct ProcessorRulesTests {
  typealias Upstream = AnyPublisher<Int, TestError>

  @Test(arguments: processors, ProcessorVerification<Int, TestError, Upstream>.rules.map(\.name))
  func `as processors`(_ processor: ProcessorCase, _ rule: String) {
    #expect(processor.processorViolations(rule) == [])
  }

  @Test(arguments: processors, SubscriberVerification<Int, TestError>.rules.map(\.name))
  func `as subscribers`(_ processor: ProcessorCase, _ rule: String) {
    #expect(processor.subscriberViolations(rule) == [])
  }

  static let processors: [ProcessorCase] = [
    ProcessorCase("map") { $0.map { $0 + 1 } },
    ProcessorCase("filter") { $0.filter { $0 > 0 } },
    ProcessorCase("compactMap") { $0.compactMap { $0 } },
    ProcessorCase("scan") { $0.scan(0, +) },
    ProcessorCase("tryMap") { $0.tryMap { $0 } },
    ProcessorCase("mapError") { $0.mapError { $0 as any Error } },
    ProcessorCase("prefix") { $0.prefix(100) },
    ProcessorCase("handleEvents") { $0.handleEvents {} },
    ProcessorCase("ensure") { $0.ensure {} },
    ProcessorCase("ensure with a publisher") { $0.ensure { Empty<Int, TestError>() } },
    ProcessorCase("erased") { $0 },
    ProcessorCase("flatMap", requestsAhead: true) {
      $0.flatMap { Just($0).setFailureType(to: TestError.self) }
    },
    ProcessorCase("concatMapEager", requestsAhead: true) {
      $0.concatMapEager { Just($0).setFailureType(to: TestError.self) }
    },
    ProcessorCase("receive(on:)") { $0.receive(on: ImmediateScheduler.shared) },
    ProcessorCase("retry, never") { $0.retry(0) },
    ProcessorCase("buffer", requestsAhead: true) { $0.buffer(size: 4, whenFull: .suspendUpstream) },
    ProcessorCase("timeout") { $0.timeout(.seconds(1), scheduler: TestScheduler()) { TestError() } },
    ProcessorCase("retry after a pause") {
      $0.retry(0, delay: { _ in .zero }, on: ImmediateScheduler.shared)
    },
    ProcessorCase("zip") { $0.zip((0...).publisher.setFailureType(to: TestError.self)) },
    ProcessorCase("any") { [$0].any() },
  ]

  @Test(arguments: FlawOfProcessor.allCases) func `the kit finds`(_ flaw: FlawOfProcessor) {
    let kit = ProcessorVerification<Int, TestError, FlawedProcessor>(
      makeFailure: { TestError() }, makeValue: { 1 }
    ) {
      FlawedProcessor(upstream: $0, flaw: flaw)
    }
    #expect(kit.violations(of: flaw.rule).map(\.rule).contains(Specification.number(ofCheck: flaw.rule)))
  }

  @Test func `each rule has a processor that breaks it`() {
    let rules = ProcessorVerification<Int, TestError, Upstream>.rules.map(\.name)
    #expect(Set(FlawOfProcessor.allCases.map(\.rule)) == Set(rules))
  }
}

/// An operator, which must obey the rules of both sides.
struct ProcessorCase: Sendable, CustomTestStringConvertible {
  let name: String
  let processorViolations: @Sendable (String) -> [Violation]
  let subscriberViolations: @Sendable (String) -> [Violation]

  init<P: Publisher>(
    _ name: String, requestsAhead: Bool = false,
    _ apply: @escaping @Sendable (AnyPublisher<Int, TestError>) -> P
  ) {
    self.name = name
    let kit = ProcessorVerification(
      requestsAhead: requestsAhead, makeFailure: { TestError() }, makeValue: { 1 }, apply: apply)
    processorViolations = { kit.violations(of: $0) }
    subscriberViolations = { kit.subscriber().violations(of: $0) }
  }

  var testDescription: String { name }
}

enum FlawOfProcessor: CaseIterable, Sendable {
  case keepsDemand, keepsCancellation, keepsFailure

  /// The check that has to find it.
  var rule: String {
    switch self {
    case .keepsDemand: "4.1 demand goes up"
    case .keepsCancellation: "4.1 a cancellation goes up"
    case .keepsFailure: "4.2 a failure goes down at once, with or without demand"
    }
  }
}

/// Passes everything on but for one flaw.
private struct FlawedProcessor: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let upstream: AnyPublisher<Int, TestError>
  let flaw: FlawOfProcessor

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    upstream.subscribe(Input(downstream: subscriber, flaw: flaw))
  }

  private struct Input<Downstream: Subscriber>: Subscriber {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    var downstream: Downstream
    let flaw: FlawOfProcessor

    mutating func receive(subscription: any Subscription) {
      downstream.receive(subscription: Link(upstream: subscription, flaw: flaw))
    }
    mutating func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
    mutating func receive(completion: Subscribers.Completion<Failure>) {
      if case .failure = completion, flaw == .keepsFailure { return }
      downstream.receive(completion: completion)
    }
  }

  private final class Link: Subscription {
    let upstream: any Subscription
    let flaw: FlawOfProcessor

    init(upstream: any Subscription, flaw: FlawOfProcessor) {
      self.upstream = upstream
      self.flaw = flaw
    }

    func request(_ demand: Subscribers.Demand) {
      if flaw != .keepsDemand { upstream.request(demand) }
    }
    func cancel() {
      if flaw != .keepsCancellation { upstream.cancel() }
    }
  }
}
