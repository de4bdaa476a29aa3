import CExploration
import Synchronization

/// What a body may use in a schedule.
public final class ScheduleContext: Sendable {
  /// That of the body that runs; nil outside of any, and in detached tasks.
  @TaskLocal public static var current: ScheduleContext?
  /// A clock that moves on when nothing else can go on.
  public let clock = VirtualClock()
  let queue = StepQueue()
  /// What is told of the schedule that runs; nil: nobody reads it.
  let story = Mutex<Story?>(nil)

  /// Tells the story of a schedule what has just happened.
  public func note(_ text: @autoclosure () -> String) { story.withLock(\.self)?.note(text()) }

  /// The executor of an actor whose messages are to be steps, one each.
  public func makeExecutor() -> SteppedExecutor { SteppedExecutor(queue) }
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
