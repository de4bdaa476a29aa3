import CExploration
import Synchronization

/// What a body may use in a schedule.
public final class ScheduleContext: Sendable {
  @TaskLocal private static var inherited: ScheduleContext?
  /// That of the body that runs; nil outside of any.
  public static var current: ScheduleContext? { inherited ?? StepQueue.catching?.context }
  /// A clock that moves on to the next time that a task sleeps until, which may be before what is ready goes on.
  public let clock = VirtualClock()
  let queue = StepQueue(isDeep: true)
  /// What is told of the schedule that runs; nil: nobody reads it.
  let story = Mutex<Story?>(nil)

  init() { queue.context = self }

  func run<Result>(_ body: (ScheduleContext) async throws -> Result) async rethrows -> Result {
    try await Self.$inherited.withValue(self) { try await body(self) }
  }

  /// Tells the story of a schedule what has just happened.
  public func note(_ text: @autoclosure () -> String) { story.withLock(\.self)?.note(text()) }

  /// The executor of an actor that handles its messages in their order, as a serial queue does, one a step.
  public func makeSerialExecutor(_ label: String = "an actor") -> SteppedExecutor {
    SteppedExecutor(queue, label: label, keepsOrder: true)
  }

  /// The executor of an actor that handles its messages in any order, one a step.
  public func makeReorderingExecutor() -> SteppedExecutor {
    SteppedExecutor(queue, label: "an actor", keepsOrder: false)
  }
}

/// What happens in one schedule, in order. Only one that is followed is told.
final class Story: Sendable {
  private let state = Mutex((lines: [String](), hasNote: false))
  /// Each line is said at once, on stderr: the process may end before there is a failure to tell.
  private let isLive: Bool

  init(isLive: Bool = false) { self.isLive = isLive }

  var lines: [String] { state.withLock(\.lines) }

  /// Returns the line's number.
  @discardableResult func add(_ line: String) -> Int {
    state.withLock {
      $0.lines.append(line)
      $0.hasNote = false
      if isLive { say("  \($0.lines.count). \(line)\n") }
      return $0.lines.count
    }
  }

  private func say(_ text: String) { _ = write(2, text, text.utf8.count) }

  /// Adds to the last line.
  func note(_ text: String) {
    state.withLock {
      guard let last = $0.lines.indices.last else { return }
      if isLive { say("     \(text)\n") }
      $0.lines[last] += ($0.hasNote ? ", " : ": ") + text
      $0.hasNote = true
    }
  }
}
