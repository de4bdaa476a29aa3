import CExploration
import Synchronization

/// The virtual clock, notes and executors for one run of a body under `everySchedule`.
public final class ScheduleContext: Sendable {
  @TaskLocal private static var inherited: ScheduleContext?
  /// The context of the running body, or `nil` outside of a body.
  public static var current: ScheduleContext? { inherited ?? StepQueue.catching?.context }
  /// A virtual clock. It may advance to the next deadline of a sleeping task even before ready tasks run.
  public let clock = VirtualClock()
  let queue = StepQueue(isDeep: true)
  let story = Mutex<Story?>(nil)

  init() { queue.context = self }

  func run<Result>(_ body: (ScheduleContext) async throws -> Result) async rethrows -> Result {
    try await Self.$inherited.withValue(self) { try await body(self) }
  }

  /// Adds a remark to the current step. A failure prints it in its list of steps.
  public func note(_ text: @autoclosure () -> String) { story.withLock(\.self)?.note(text()) }

  /// Makes an executor for an actor. The actor handles one message in each step, in the order of arrival.
  public func makeSerialExecutor(_ label: String = "an actor") -> SteppedExecutor {
    SteppedExecutor(queue, label: label, keepsOrder: true)
  }

  /// Makes an executor for an actor. The actor handles one message in each step, in any order.
  public func makeReorderingExecutor() -> SteppedExecutor {
    SteppedExecutor(queue, label: "an actor", keepsOrder: false)
  }
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

/// The steps of a replayed run, in order, as text.
final class Story: Sendable {
  private let state = Mutex((lines: [String](), hasNote: false))
  /// Whether each line is printed to stderr immediately, since the process may end before the failure is printed.
  private let isLive: Bool

  init(isLive: Bool = false) { self.isLive = isLive }

  var lines: [String] { state.withLock(\.lines) }

  @discardableResult func add(_ line: String) -> Int {
    state.withLock {
      $0.lines.append(line)
      $0.hasNote = false
      if isLive { say("  \($0.lines.count). \(line)\n") }
      return $0.lines.count
    }
  }

  private func say(_ text: String) { _ = write(2, text, text.utf8.count) }

  func note(_ text: String) {
    state.withLock {
      guard let last = $0.lines.indices.last else { return }
      if isLive { say("     \(text)\n") }
      $0.lines[last] += ($0.hasNote ? ", " : ": ") + text
      $0.hasNote = true
    }
  }
}
