import Foundation
import TestSupport
import Testing

@testable import OperationUploads

@Suite(.ownThread) struct OperationJobTests {
  /// swift-corelibs-foundation refers to those that depend on an operation without keeping them, and notifies them when it has
  /// finished. One that was cancelled does not wait for that, and could be freed by then.
  @Test func `the last operation waits for those it depends on, cancelled or not`() {
    let job = OperationJob()
    let first = AsynchronousOperation<Int>(of: job) { _ in }
    let second = AsynchronousOperation<Int>(of: job) { _ in }
    let last = LastOperation(of: job) { _ in }
    for operation in [second, last] as [Operation] { operation.addDependency(first) }
    for operation in [second, last] as [Operation] { operation.cancel() }
    #expect(second.isReady)
    #expect(!last.isReady)
  }
}
