/// An executor that holds messages to busy default actors, so that each message is a step of its own.
final class MessageHolder: SerialExecutor {
  private unowned let queue: StepQueue

  init(_ queue: StepQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) { queue.hold(UnownedJob(job)) }
}

/// The executor of an actor that handles one message in each step. If it keeps the order, only the oldest message is ready.
///
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
public final class SteppedExecutor: SerialExecutor {
  private let queue: StepQueue
  private let label: String
  private let keepsOrder: Bool

  init(_ queue: StepQueue, label: String, keepsOrder: Bool) {
    (self.queue, self.label, self.keepsOrder) = (queue, label, keepsOrder)
  }

  /// Adds a message to the ready steps, or to the messages that wait until the actor is free.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    if keepsOrder {
      queue.enqueue(job, inOrderOf: executor, label)
    } else {
      queue.enqueue(job, .actor(executor))
    }
  }
}
