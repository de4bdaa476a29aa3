import Exploration

struct Wrong: Error {}

/// Code that fails in some order of its steps, and its corrected form.
struct PlantedBug: Sendable, CustomStringConvertible {
  let description: String
  /// Part of the expected message.
  let problem: String
  private let run: @Sendable (ScheduleContext, _ isWrong: Bool) async throws -> Void

  init(
    _ description: String, _ problem: String,
    _ run: @escaping @Sendable (ScheduleContext, _ isWrong: Bool) async throws -> Void
  ) {
    (self.description, self.problem, self.run) = (description, problem, run)
  }

  func body(_ exploration: ScheduleContext) async throws { try await run(exploration, true) }
  func corrected(_ exploration: ScheduleContext) async throws { try await run(exploration, false) }

  static let all = ofWaiting + ofOrder + ofCancellation
}

/// The failure found; nil: none.
func failure(
  _ budget: ScheduleBudget = .time(.seconds(5)), line: Int = #line,
  _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
) async -> ScheduleFailure? {
  do {
    try await everySchedule(budget, line: line, body)
    return nil
  } catch { return error as? ScheduleFailure }
}
