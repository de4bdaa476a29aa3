import Dispatch
import Foundation
import UploadScenario

/// Foundation's operations: each upload an asynchronous operation, and a last one that depends on all.
public struct OperationUploads: Contender {
  public let name = "operations"
  public let summary = "OperationQueue: asynchronous operations and a last one that depends on them"
  /// The operations of all posts start here, except those of a post with a limit.
  let queue: OperationQueue
  /// What works for the processor, or blocks: by priority, since a queue has one.
  let workQueues: [PostPriority: OperationQueue]

  public init() {
    queue = OperationQueue()
    workQueues = [.low: OperationQueue(), .normal: OperationQueue(), .high: OperationQueue()]
    workQueues[.low]?.qualityOfService = .utility
    workQueues[.high]?.qualityOfService = .userInitiated
  }
}

extension OperationUploads {
  /// Other common spellings.
  public static let variants: [any Contender] = [AsynchronousUploads(), BlockingMainUploads()]
}

extension OperationQueue {
  /// Itself, or one like it for one post: the limit is a queue's, and counts the operations of every post in it.
  func limited(to limit: Int?) -> OperationQueue {
    guard let limit else { return self }
    let queue = OperationQueue()
    queue.underlyingQueue = underlyingQueue
    queue.qualityOfService = qualityOfService
    queue.maxConcurrentOperationCount = limit
    return queue
  }
}

/// A call on a global queue after a while, or every so often, until it is cancelled.
///
/// A timer source rather than Foundation's `Timer`, which needs a thread that runs a run loop.
/// Invariant of `@unchecked Sendable`: a dispatch source may be used from any thread.
final class Alarm: Cancellable, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(after delay: Duration, repeats: Bool = false, _ ring: @escaping @Sendable () -> Void) {
    let interval = DispatchTimeInterval(delay)
    source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    // The source keeps itself until it is cancelled.
    source.setEventHandler { [source] in
      if !repeats { source.cancel() }
      ring()
    }
    source.activate()
  }

  /// Gives back what the call captured. None begins from now on.
  func cancel() { source.cancel() }
}
