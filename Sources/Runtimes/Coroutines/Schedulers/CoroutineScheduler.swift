import CContextSwitch
import Dispatch
import Foundation

/// Where coroutines run. A class of your own becomes one in two lines: only the first requirement is asked for.
///
/// `DispatchQueue` (the main queue among them), `OperationQueue`, ``CoroutinePool`` and ``ImmediateScheduler`` are
/// schedulers. What runs on `DispatchQueue.main` needs somebody who serves it: an application's run loop, or
/// `dispatchMain()`.
///
/// What is scheduled has to run: a coroutine whose turn is dropped, as `cancelAllOperations()` drops what an
/// `OperationQueue` has not begun, never goes on, and who waits for it waits until it is cancelled itself.
public protocol CoroutineScheduler: AnyObject, Sendable {
  /// Runs the work soon, once, on a thread of the scheduler's choice.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Runs the coroutine soon, once: calls its `run` on a thread of the scheduler's choice.
  ///
  /// Without one of its own a scheduler gets a closure that does; its own saves making that closure.
  func schedule(_ coroutine: ReadyCoroutine)
}

extension CoroutineScheduler {
  public func schedule(_ coroutine: ReadyCoroutine) { schedule { coroutine.run() } }
}

/// A coroutine that can go on.
public struct ReadyCoroutine: @unchecked Sendable {
  // Invariant: the fiber is claimed, so this is the only one to resume it, and a scheduler runs it once.
  let fiber: FiberPointer

  /// Runs it on this thread until it suspends or ends. Exactly once.
  public func run() { fiber.drive(on: context_thread_current()) }
}

extension DispatchQueue: CoroutineScheduler {
  public func schedule(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

extension OperationQueue: CoroutineScheduler {
  public func schedule(_ work: @escaping @Sendable () -> Void) { addOperation(work) }
}

extension CoroutineScheduler where Self == DispatchQueue {
  /// The main queue.
  public static var main: DispatchQueue { .main }
}
