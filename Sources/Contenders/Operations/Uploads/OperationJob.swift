import Foundation
import Synchronization
import UploadScenario

typealias Call<Value> = @Sendable (_ completion: @escaping Callback<Value>) -> any Cancellable

final class OperationJob: Cancellable {
  private let queue = OperationQueue()
  private let firstError = Mutex<(any Error)?>(nil)

  /// - Parameter limit: the largest number of operations in flight. `nil` means all.
  init(limit: Int? = nil, on threads: DispatchQueue = .global()) {
    queue.underlyingQueue = threads
    if let limit { queue.maxConcurrentOperationCount = limit }
  }

  var error: (any Error)? { firstError.withLock { $0 } }

  func cancel() { fail(CancellationError()) }

  func fail(_ error: any Error) {
    if self.error != nil { return }
    firstError.withLock { $0 = $0 ?? error }
    queue.cancelAllOperations()
  }

  /// Runs the operations, then a last operation that creates the post or reports the first error.
  func run(
    _ operations: [Operation], _ completion: @escaping Completion, create: @escaping Call<Publication>
  ) -> Self {
    let last = AsynchronousOperation<Publication>(of: self) { last in
      last.request(create) { [self] result in completion(result.mapError { error ?? $0 }) }
    }
    for operation in operations { last.addDependency(operation) }
    queue.addOperations(operations + [last], waitUntilFinished: false)
    return self
  }
}

extension [AsynchronousOperation<Receipt>] {
  /// The values of the operations, all of which must have succeeded.
  var values: [Receipt] { map { $0.value! } }
}
