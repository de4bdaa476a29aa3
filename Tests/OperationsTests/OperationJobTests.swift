import Foundation
import TestSupport
import Testing
import UploadScenario

@testable import OperationUploads

@Suite(.ownThread) struct OperationJobTests {
  /// swift-corelibs-foundation holds an operation's dependents unretained, and notifies them when it has finished: a cancelled
  /// dependent that did not wait could be freed by then.
  @Test func `an operation waits for its dependencies, cancelled or not`() {
    let job = OperationJob()
    let first = AsynchronousOperation<Int>(of: job) { _ in }
    let second = AsynchronousOperation<Int>(of: job) { _ in }
    let ofFoundation = BlockOperation {}
    for operation in [second, ofFoundation] { operation.addDependency(first) }
    for operation in [second, ofFoundation] { operation.cancel() }
    #expect(!second.isReady)
    #expect(ofFoundation.isReady)
  }

  @Test func `an operation finishes when all its requests are answered`() {
    let answers = Guarded<[Callback<Int>]>([])
    let operation = AsynchronousOperation<Int>(of: OperationJob()) { operation in
      for _ in 0..<2 {
        operation.request({ completion in
          answers.withLock { $0.append(completion) }
          return Handle()
        }) { operation.finish(with: $0) }
      }
    }
    operation.start()
    let (first, second) = answers.withLock { ($0[0], $0[1]) }
    first(.success(1))
    #expect(operation.value == 1)
    #expect(!operation.isFinished)
    second(.success(1))
    #expect(operation.isFinished)
  }

  private final class Handle: Cancellable { func cancel() {} }
}
