import UploadScenario

extension Rule {
  static let firstFailure = Rule(
    "first-failure", "The first failure is the job's result, whatever comes after it.")
  static let noStartAfterFailure = Rule(
    "no-start-after-failure", "Nothing starts once an upload has failed.")
  static let noPostAfterFailure = Rule(
    "no-post-after-failure", "No post is created once an upload has failed.")
  static let inFlightCancelled = Rule(
    "in-flight-cancelled", "What is in flight when an upload fails is cancelled before the completion.",
    in: .cancellable)
}

extension Script {
  static let failure: [Script] = [
    Script(.firstFailure) { examination in
      for index in 0..<5 {
        examination.failAfter(0, index, late: .fails)
        examination.failAfter(index, index, late: .fails)
      }
    },
    Script(.noStartAfterFailure) { $0.failAfter(1, 2, late: .stops) },
    Script(.noPostAfterFailure) { $0.failAfter(4, 4, late: .arrives) },
    Script(.inFlightCancelled) { examination in
      for index in 0..<5 { examination.failAfter(0, index, late: .arrives) }
    },
  ]
}

extension Examination {
  /// Of five, lets so many arrive and then one fail; those that are cancelled are answered with `late`.
  func failAfter(_ arrived: Int, _ failing: Int, late: Stage.Late) {
    for shape in shapes where !pattern.races || shape.asksBothMirrorsAtOnce {
      let scenario = shape.of(5)
      guard arrived < scenario.fanOut else { continue }
      trial(
        of: .firstFailure, scenario, "\(arrived) arrive, then one fails", configure: { $0.late = late }
      ) { trial in
        for index in 0..<arrived {
          try trial.settle()
          try trial.arrive(index)
        }
        try trial.settle()
        let ending = try trial.fail(failing)
        try trial.end(ending)
      }
    }
  }
}
