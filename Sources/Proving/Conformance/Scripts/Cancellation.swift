import UploadScenario

extension Rule {
  static let cancellation = Rule(
    "cancellation", "Cancelling ends the job with CancellationError, whatever it is at.")
  static let cancellationStops = Rule(
    "cancellation-stops",
    "Once the job is cancelled nothing starts, and what is in flight is cancelled before the completion.")
  static let cancelledPost = Rule(
    "cancelled-post", "Cancelling while the post is under way cancels the post.",
    isSpecial: true)
  static let lateCancel = Rule("late-cancel", "Cancelling does nothing once the job has ended.")
  static let nothingLeft = Rule(
    "nothing-left", "Once the job has ended, its completion, its service and its chunks are let go.")
}

extension Script {
  static let cancellation: [Script] = [
    Script(.cancellation) { examination in
      for shape in examination.shapes {
        for done in 0...5 { examination.cancel(shape.of(5), after: done, late: .stops) }
      }
    },
    Script(.cancellationStops) { examination in
      for shape in examination.shapes {
        for done in [0, 2, 4] { examination.cancel(shape.of(5), after: done, late: .arrives) }
      }
    },
    Script(.cancelledPost) { examination in
      for uploads in [0, 2] {
        examination.trial(
          of: .cancelledPost, examination.plain.of(uploads), "cancelled during the post; it is created"
        ) { trial in
          while !trial.course.isDone { try trial.arrive() }
          let call = try trial.call(at: nil)
          trial.stage.change { $0.late = .arrives }
          trial.cancel()
          try trial.expect("the post cancelled", rule: .cancelledPost) { _ in call.isCancelled }
          try trial.end([.published, .cancelled])
        }
      }
    },
    Script(.lateCancel) { examination in
      for shape in examination.shapes {
        examination.trial(of: .lateCancel, shape.of(2), "cancelled after the end") { trial in
          while !trial.course.isDone { try trial.arrive() }
          try trial.answerPost()
          try trial.awaitCompletion()
          trial.cancel()
          trial.cancel()
          try trial.end(.published)
        }
      }
    },
    Script(.nothingLeft) { examination in
      examination.publish([4], .forward)
      examination.failAfter(1, 1, late: .stops)
      for shape in examination.shapes {
        for done in 0...2 { examination.cancel(shape.of(4), after: done, late: .stops) }
      }
    },
  ]
}

extension Examination {
  /// Cancels when so many have arrived; with all of them, the post is under way.
  func cancel(_ scenario: Scenario, after done: Int, late: Stage.Late) {
    guard done <= scenario.fanOut else { return }
    trial(
      of: .cancellation, scenario,
      "cancelled after \(done) have arrived, what is cancelled \(late.rawValue)",
      configure: { $0.late = late }
    ) { trial in
      for index in 0..<done {
        try trial.settle()
        try trial.arrive(index)
      }
      try trial.settle()
      trial.cancel()
      trial.cancel()
      try trial.end(.cancelled)
    }
  }
}
