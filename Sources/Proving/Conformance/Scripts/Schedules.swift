import UploadScenario

extension Script {
  static let schedules: [Script] = [
    Script(
      Rule("any-schedule", "Every requirement is met, whatever is answered when, how, and on which threads.")
    ) { check in
      for number in 0..<check.limits.schedules {
        // The seed of a violation is that of its schedule: with it, the schedule comes first.
        check.schedule(check.seed &+ UInt64(number))
      }
    }
  ]
}

extension PatternCheck {
  /// One job, with everything that happens to it drawn from the seed.
  fileprivate func schedule(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let shape = shapes.randomElement(using: &generator)!
    let scenario = shape.of(Int.random(in: 1...7, using: &generator))
    let late = Backend.Late.allCases.randomElement(using: &generator)!
    trial(scenario, "what is cancelled \(late.rawValue)", seed: seed, configure: { $0.late = late }) {
      trial in
      var schedule = Schedule(generator: generator)
      if schedule.happens(0.06) {
        trial.note("cancelled at once")
        trial.cancel()
        return try trial.end(.cancelled, isStable: false)
      }
      while !trial.course.isDone {
        try trial.settle()
        if schedule.happens(0.05) {
          trial.note("cancelled")
          trial.cancel()
          return try trial.end(.cancelled)
        }
        let endings = try trial.burst(&schedule, on: threads)
        if !endings.isEmpty { return try trial.end(endings, isStable: false) }
      }
      try trial.settle()
      if schedule.happens(0.15) {
        trial.note("cancelled during the post")
        trial.cancel()
        return try trial.end(trial.endsOfACancelledPost)
      }
      try trial.publishRest()
    }
  }
}

/// Draws what happens next.
private struct Schedule {
  var generator: SeededGenerator

  mutating func happens(_ probability: Double) -> Bool { generator.nextUnit() < probability }
}

extension Trial {
  /// How a job may end that was cancelled when its post was under way.
  fileprivate var endsOfACancelledPost: [Ending] {
    switch backend.read({ $0.late }) {
    case .stops: [.cancelled]
    case .arrives: [.cancelled, .published]
    case .fails: [.cancelled, .failed(nil, scenario.refusal(ofLedgerIndex: 0, reason: "refused late"))]
    }
  }

  /// Answers some of what is in flight at once; says how the job may end because of that, nothing if it goes on.
  fileprivate func burst(_ schedule: inout Schedule, on threads: AnsweringThreads) throws -> [Ending] {
    let waiting = backend.read { state in
      state.waiting.filter { $0.ledgerIndex != nil }.sorted { $0.ledgerIndex! < $1.ledgerIndex! }
    }.shuffled(using: &schedule.generator)
    let count = schedule.happens(0.5) ? 1 : Int.random(in: 1...waiting.count, using: &schedule.generator)
    var endings: [Ending] = []
    var bodies: [@Sendable () -> Void] = []
    for call in waiting.prefix(count) {
      let index = call.ledgerIndex!
      let error = refusal(at: index, &schedule)
      if let error {
        if let ending = course.failed(at: index, error) { endings.append(ending) }
      } else {
        course.succeeded(at: index)
      }
      let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
      bodies.append { [backend] in backend.answer(call, result) }
    }
    note(bodies.count == 1 ? "one answered" : "\(bodies.count) answered at once")
    let isCancelled = schedule.happens(0.05)
    if isCancelled {
      note("cancelled meanwhile")
      endings += course.isDone ? endsOfACancelledPost : [.cancelled]
      bodies.append { [backend, cancellation] in
        cancellation()
        backend.change { $0.isCancelDelivered = true }
      }
    }
    let answered = waiting.prefix(count)
    if schedule.happens(0.5) { threads.burst(bodies) } else { for body in bodies { body() } }
    try expect("the service's own threads") { state in
      // What is blocked is let go after this: the cancellation must have come by then.
      (!isCancelled || state.isCancelDelivered)
        && !state.calls.contains { call in answered.contains { $0 === call } }
    }
    return endings
  }

  /// The error of a request that is about to fail; nil: it succeeds.
  private func refusal(at index: Int, _ schedule: inout Schedule) -> (any Error)? {
    let (isFailing, isTransient) = (schedule.happens(0.12), schedule.happens(0.7))
    // Nobody waits an hour for the second mirror.
    guard isFailing, !scenario.pattern.races || scenario.asksBothMirrorsAtOnce else { return nil }
    return scenario.refusal(
      ofLedgerIndex: index, reason: "refused \(index)", isTransient: isTransient && !scenario.pattern.looksUp)
  }
}
