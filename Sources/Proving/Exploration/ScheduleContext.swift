import Synchronization

/// What a body may use in a schedule.
public final class ScheduleContext: Sendable {
  /// That of the body that runs; nil outside of any, and in detached tasks.
  @TaskLocal public static var current: ScheduleContext?
  /// A clock that moves on when nothing else can go on.
  public let clock = VirtualClock()
  let queue = StepQueue()
  private let notes = Mutex<[String]?>(nil)

  /// Tells the story of a schedule what has just happened.
  public func note(_ text: @autoclosure () -> String) {
    guard notes.withLock({ $0 != nil }) else { return }
    let text = text()
    notes.withLock { $0?.append(text) }
  }

  /// The executor of an actor whose messages are to be steps, one each.
  public func makeExecutor() -> SteppedExecutor { SteppedExecutor(queue) }

  func beginNotes(_ areKept: Bool) { notes.withLock { $0 = areKept ? [] : nil } }
  func takeNotes() -> [String] {
    notes.withLock { notes in
      defer { if notes != nil { notes = [] } }
      return notes ?? []
    }
  }
}
