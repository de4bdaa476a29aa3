import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK

/// What makes one value of several publishers' values.
extension PublisherRulesTests {
  static let manyToOne: [Case] = [
    Case("zip of five") { count in
      let source = (0..<count).publisher
      return source.zip(source, source, source, source)
    },
    Case("zip of six") { count in
      let source = (0..<count).publisher
      return source.zip(source, source, source, source, source)
    },
    Case("combineLatest") { Just(1).combineLatest((0..<$0).publisher) },
    Case("combineLatest of three") { Just(1).combineLatest(Just(2), (0..<$0).publisher) },
    Case("combineLatest of four") { Just(1).combineLatest(Just(2), Just(3), (0..<$0).publisher) },
    Case(
      "combineLatest of many",
      PublisherVerification(
        makeFailed: {
          [Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher(), failing(1)].combineLatest()
        },
        make: { [failing(1), failing(1), failing($0)].combineLatest() })),
    Case(
      "switchToLatest",
      PublisherVerification(
        makeFailed: {
          Just(1).setFailureType(to: TestError.self).map { _ in
            Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher()
          }.switchToLatest()
        },
        make: { count in
          Just(count).setFailureType(to: TestError.self).map { failing($0) }.switchToLatest()
        })),
    Case("share") { count in Deferred { (0..<count).publisher.share() } },
  ]
}
