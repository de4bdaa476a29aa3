import RuntimeOperations
import Registry
import TestSupport
import Testing

/// One operation as one contender performs it.
struct Implementer: Sendable, CustomTestStringConvertible {
  let contender: RuntimeContender
  let operation: RuntimeOperation

  var testDescription: String { "\(contender.name) × \(operation.name)" }

  /// Thread Sanitizer maps memory of its own for each coroutine, and a process may have 65 530 maps.
  private static let operations = RuntimeOperation.all.filter { $0 != .suspended || !isUnderThreadSanitizer }

  static let all = runtimeContenders.flatMap { contender in
    operations.filter { contender.implementations[$0] != nil }.map {
      Implementer(contender: contender, operation: $0)
    }
  }
}

@Suite(.ownThread) struct RuntimeContendersTests {
  @Test(arguments: Implementer.all)
  func `every implementation gives the answer twice`(implementer: Implementer) throws {
    let perform = try #require(implementer.contender.implementations[implementer.operation])
    let answers = try (0..<2).map { _ in try perform(implementer.operation.count) }
    #expect(answers == [implementer.operation.answer, implementer.operation.answer])
  }

  @Test(arguments: RuntimeOperation.all + RuntimeOperation.large)
  func `every operation has a reference and another contender`(operation: RuntimeOperation) {
    let names = runtimeContenders.filter { $0.implementations[operation] != nil }.map(\.name)
    #expect(names.first == RuntimeOperation.referenceName)
    #expect(names.count > 1)
  }

  @Test func `names are unique`() {
    #expect(Set(runtimeContenders.map(\.name)).count == runtimeContenders.count)
    let operations = RuntimeOperation.all + RuntimeOperation.large
    #expect(Set(operations.map(\.name)).count == operations.count)
  }
}
