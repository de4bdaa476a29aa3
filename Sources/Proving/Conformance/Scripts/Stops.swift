import UploadScenario

extension Rule {
  static let firstFailure = Rule(
    "first-failure", "The first failure is the job's result, whatever comes after it.")
  static let noStartAfterFailure = Rule("no-start-after-failure", "Nothing starts once an upload has failed.")
  static let noPostAfterFailure = Rule(
    "no-post-after-failure", "No post is created once an upload has failed.")
  static let inFlightCancelled = Rule(
    "in-flight-cancelled", "What is in flight when an upload fails is cancelled before the completion.",
    in: .cancellable)

  static let cancellation = Rule(
    "cancellation", "Cancelling ends the job with CancellationError, whatever it is at.")
  static let cancellationStops = Rule(
    "cancellation-stops",
    "Once the job is cancelled nothing starts, and what is in flight is cancelled before the completion.")
  package static let nothingLeft = Rule(
    "nothing-left", "Once the job has ended, its completion, its service and its chunks are let go.")
}

extension Script {
  static let failure: [Script] = [
    Script(.firstFailure) { check in
      for index in 0..<5 {
        check.failAfter(0, index, late: .fails)
        check.failAfter(index, index, late: .fails)
      }
    },
    Script(.noStartAfterFailure) { $0.failAfter(1, 2, late: .stops) },
    Script(.noPostAfterFailure) { $0.failAfter(4, 4, late: .arrives) },
    Script(.inFlightCancelled) { check in
      for index in 0..<5 { check.failAfter(0, index, late: .arrives) }
    },
  ]

  static let cancellation: [Script] = [
    Script(.cancellation) { check in
      for shape in check.shapes {
        for done in 0...5 { check.cancel(shape.of(5), after: done, late: .stops) }
      }
    },
    Script(.cancellationStops) { check in
      for shape in check.shapes {
        for done in [0, 2, 4] { check.cancel(shape.of(5), after: done, late: .arrives) }
      }
    },
    Script(
      Rule("cancelled-post", "Cancelling while the post is under way cancels the post.", isSpecial: true)
    ) { check in
      for uploads in [0, 2] {
        check.trial(check.plain.of(uploads), "cancelled during the post; it is created") { trial in
          try trial.arriveAll()
          let call = try trial.call(at: nil)
          trial.backend.change { $0.late = .arrives }
          trial.cancel()
          try trial.expect("the post cancelled", rule: trial.rule) { _ in call.isCancelled }
          try trial.end([.published, .cancelled])
        }
      }
    },
    Script(Rule("late-cancel", "Cancelling does nothing once the job has ended.")) { check in
      check.trials(of: 2, "cancelled after the end") { trial in
        try trial.arriveAll()
        try trial.answerPost()
        try trial.awaitCompletion()
        trial.cancel()
        trial.cancel()
        try trial.end(.published)
      }
    },
    Script(.nothingLeft) { check in
      check.publish([4], .forward)
      check.failAfter(1, 1, late: .stops)
      for shape in check.shapes {
        for done in 0...2 { check.cancel(shape.of(4), after: done, late: .stops) }
      }
    },
  ]
}

extension PatternCheck {
  /// Of five, lets so many arrive and then one fail; those that are cancelled are answered with `late`.
  func failAfter(_ arrived: Int, _ failing: Int, late: Backend.Late) {
    for shape in shapes where !pattern.races || shape.asksBothMirrorsAtOnce {
      let scenario = shape.of(5)
      guard arrived < scenario.fanOut else { continue }
      trial(
        scenario, "\(arrived) arrive, then one fails", rule: .firstFailure, configure: { $0.late = late }
      ) { trial in
        try trial.arrive(first: arrived)
        try trial.end(trial.fail(failing))
      }
    }
  }

  /// Cancels when so many have arrived; with all of them, the post is under way.
  func cancel(_ scenario: Scenario, after done: Int, late: Backend.Late) {
    guard done <= scenario.fanOut else { return }
    trial(
      scenario, "cancelled after \(done) have arrived, what is cancelled \(late.rawValue)",
      rule: .cancellation, configure: { $0.late = late }
    ) { trial in
      try trial.arrive(first: done)
      trial.cancel()
      trial.cancel()
      try trial.end(.cancelled)
    }
  }
}
