import Dispatch
import Foundation

/// Where coroutines run. A class of your own becomes one in two lines.
public protocol CoroutineScheduler: AnyObject, Sendable {
  /// Runs the work soon, once, on a thread of the scheduler's choice.
  func schedule(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: CoroutineScheduler {
  public func schedule(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

extension OperationQueue: CoroutineScheduler {
  public func schedule(_ work: @escaping @Sendable () -> Void) { addOperation(work) }
}
