import ReactiveStreams
import Testing

/// A kind of publisher, which must obey every rule.
struct Case: Sendable, CustomTestStringConvertible {
  let name: String
  let violations: @Sendable (String) -> [Violation]

  init<P: Publisher>(_ name: String, _ kit: PublisherVerification<P>) {
    self.name = name
    violations = { kit.violations(of: $0) }
  }

  /// Makes a kit for each rule, for publishers on a clock that only one test may advance.
  init<P: Publisher>(_ name: String, makeKit: @escaping @Sendable () -> PublisherVerification<P>) {
    self.name = name
    violations = { makeKit().violations(of: $0) }
  }

  init<P: Publisher>(_ name: String, largestCount: Int = .max, _ make: @escaping @Sendable (Int) -> P) {
    self.init(name, PublisherVerification(largestCount: largestCount, make: make))
  }

  /// An operator, after a stream that finishes and after one that fails. An operator of one value folds five.
  static func after<P: Publisher>(
    _ name: String, largestCount: Int = .max, _ apply: @escaping @Sendable (AnyPublisher<Int, TestError>) -> P
  ) -> Case {
    Case(
      name,
      PublisherVerification(
        largestCount: largestCount, makeFailed: { apply(Fail(error: TestError()).eraseToAnyPublisher()) },
        make: {
          apply(
            (0..<(largestCount == 1 ? 5 : $0)).publisher.setFailureType(to: TestError.self)
              .eraseToAnyPublisher())
        }))
  }

  var testDescription: String { name }
}

struct TestError: Error, Equatable {
  var number = 0
}
