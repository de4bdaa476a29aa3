import UploadScenario

/// How a rule is tried in one pattern. What else comes to light on the way is reported under its own rule.
struct Script: Sendable {
  let rule: Rule
  let run: @Sendable (Examination) -> Void

  init(_ rule: Rule, run: @escaping @Sendable (Examination) -> Void) {
    self.rule = rule
    self.run = run
  }

  /// The most telling first.
  static let all: [Script] =
    success + failure + cancellation + presigned + stream + race + resilient + blocking + heartbeat + badInput
    + schedules + scale + answers
}
