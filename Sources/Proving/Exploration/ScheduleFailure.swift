/// A schedule in which a body failed.
public struct ScheduleFailure: Error, CustomStringConvertible {
  /// What was wrong.
  public let problem: String
  /// What was chosen, wherever there was a choice: replays the schedule.
  public let choices: [Int]
  /// What happened, in order.
  public let story: [String]
  /// How many schedules had been tried.
  public let schedules: Int
  /// Where the schedule is kept; nil: it could not be written, or it was followed and not found.
  public internal(set) var file: String?
  /// The step that does not come back is left behind as it is.
  package var isAtWork = false

  private static let mostLines = 100

  init(_ problem: String, _ choices: [Int], _ story: [String], schedules: Int) {
    (self.problem, self.choices, self.story, self.schedules) = (problem, choices, story, schedules)
  }

  /// With a file beside those of other places.
  func written(place: String) -> ScheduleFailure {
    var failure = self
    failure.file = ScheduleFile.write(place: place, choices: choices, description)
    return failure
  }

  public var description: String {
    let steps = story.enumerated().suffix(Self.mostLines).map { "  \($0.offset + 1). \($0.element)\n" }
      .joined()
    let again = choices.map(String.init).joined(separator: " ")
    let command = file.map { ", or with \(ScheduleFile.variable)=\($0) in the environment" } ?? ""
    return "in schedule \(schedules): \(problem)\n\(steps)Replay it with following: \"\(again)\"\(command)"
  }
}
