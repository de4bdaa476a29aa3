import Foundation
import Synchronization
import UploadScenario

/// One post: the queue of its operations, and the first error.
final class OperationJob: Cancellable {
  private let queue = OperationQueue()
  private let firstError = Mutex<(any Error)?>(nil)

  /// - Parameter limit: how many operations are under way at once; nil: all.
  init(limit: Int? = nil, on threads: DispatchQueue = .global()) {
    queue.underlyingQueue = threads
    if let limit { queue.maxConcurrentOperationCount = limit }
  }

  /// The first error, or the cancellation.
  var error: (any Error)? { firstError.withLock { $0 } }

  func cancel() { fail(CancellationError()) }

  /// Keeps the first error, and cancels every operation.
  func fail(_ error: any Error) {
    if self.error != nil { return }
    firstError.withLock { $0 = $0 ?? error }
    queue.cancelAllOperations()
  }

  /// Runs the operations, and after them one that creates the post or reports the first error.
  func run(
    _ operations: [Operation], _ completion: @escaping Completion,
    create: @escaping @Sendable (@escaping Completion) -> any Cancellable
  ) -> Self {
    let last = LastOperation(of: self) { [self] last in
      let ended: Completion = { [self] result in
        last.finish(with: result)
        completion(result.mapError { error ?? $0 })
      }
      if let error { return ended(.failure(error)) }
      last.keep(create(ended))
      // An error may have come before there was something to cancel.
      if error != nil { last.stopWaiting() }
    }
    for operation in operations { last.addDependency(operation) }
    queue.addOperations(operations + [last], waitUntilFinished: false)
    return self
  }
}

extension [AsynchronousOperation<Receipt>] {
  /// Of operations that have all succeeded.
  var values: [Receipt] { map { $0.value! } }
}

/// Ends when the service has answered, cancelled or not: the post may have been created all the same. Cancelled by
/// the queue it would not wait for those that it depends on, and Foundation on Linux might read it once it is freed.
final class LastOperation: AsynchronousOperation<Publication>, @unchecked Sendable {
  override func main() { body(self) }
  override func cancel() { stopWaiting() }
}
