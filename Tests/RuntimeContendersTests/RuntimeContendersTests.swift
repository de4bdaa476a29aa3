import RawThreads
import RuntimeOperations
import Registry
import RuntimeTestSupport
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

@Suite struct RuntimeContendersTests {
  @Test(arguments: Implementer.all)
  func everyImplementationGivesTheAnswerTwice(implementer: Implementer) async throws {
    let perform = try #require(implementer.contender.implementations[implementer.operation])
    // A performance may block its thread, so not one of the pool's.
    let answers = try await withCheckedThrowingContinuation { continuation in
      _ = RawThread(name: "implementer") {
        continuation.resume(
          with: Result { try (0..<2).map { _ in try perform(implementer.operation.count) } })
      }
    }
    #expect(answers == [implementer.operation.answer, implementer.operation.answer])
  }

  @Test(arguments: RuntimeOperation.all + RuntimeOperation.large)
  func everyOperationHasAReferenceAndSomebodyElse(operation: RuntimeOperation) {
    let names = runtimeContenders.filter { $0.implementations[operation] != nil }.map(\.name)
    #expect(names.first == RuntimeOperation.referenceName)
    #expect(names.count > 1)
  }

  @Test func namesAreUnique() {
    #expect(Set(runtimeContenders.map(\.name)).count == runtimeContenders.count)
    let operations = RuntimeOperation.all + RuntimeOperation.large
    #expect(Set(operations.map(\.name)).count == operations.count)
  }
}
