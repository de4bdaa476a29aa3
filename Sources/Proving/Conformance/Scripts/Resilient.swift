import UploadScenario

extension Rule {
  static let deadline = Rule(
    "deadline", "A job that takes longer than it may ends with DeadlineExceeded, whatever it is at.",
    of: .resilient)
}

extension Script {
  static let resilient: [Script] = [
    Script(
      "attempts", "What may succeed another time is tried again, exactly as often as the policy allows.",
      of: .resilient
    ) { check in
      for attempts in [2, 3, 5] {
        let scenario = check.plain.with { $0.retry.attempts = attempts }.of(2)
        check.trial(scenario, "the last attempt succeeds") { trial in
          for media in 0..<2 {
            for _ in 1..<attempts { try trial.failTransiently(media) }
            try trial.succeed(at: media)
          }
          try trial.settle()
          try trial.publishRest()
        }
      }
      check.trial(check.plain.of(1), "every attempt fails") { trial in
        try trial.failTransiently(0)
        try trial.failTransiently(0)
        let error = trial.scenario.refusal(ofLedgerIndex: 0, isTransient: true)
        try trial.refuse(at: 0, error)
        try trial.expect("no fourth attempt") { !$0.results.isEmpty || $0.starts.count > 3 }
        if trial.backend.read({ $0.starts.count > 3 }) {
          throw trial.problem(seen: "4 attempts", promised: "3")
        }
        try trial.end(.failed(0, error))
      }
      check.trial(check.plain.of(1), "the post is refused for now") { trial in
        try trial.arrive()
        let error = UploadFailure(mediaIndex: -1, reason: "post refused", isTransient: true)
        try trial.answerPost(.failure(error))
        try trial.end(.failed(nil, error))
      }
    },
    Script(
      "last-error", "When the last attempt has failed, its error is the job's.", of: .resilient
    ) { check in
      for attempts in [1, 2, 4] {
        let scenario = check.plain.with { $0.retry.attempts = attempts }.of(3)
        check.trial(scenario, "every attempt fails") { trial in
          try trial.settle()
          for _ in 1..<attempts { try trial.failTransiently(1) }
          let error = UploadFailure(mediaIndex: 1, reason: "the last time", isTransient: true)
          try trial.refuse(at: 1, error)
          try trial.end(.failed(1, error))
        }
      }
    },
    Script("refusals", "What cannot succeed is not tried again.", of: .resilient) { check in
      for before in 0..<2 {
        check.trial(check.plain.of(3), "refused after \(before) failures") { trial in
          try trial.settle()
          for _ in 0..<before { try trial.failTransiently(2) }
          try trial.settle()
          try trial.end(trial.fail(2))
        }
      }
    },
    Script(
      "attempt-deadline", "An attempt that takes too long is cancelled, and counts as failed.", of: .resilient
    ) { check in
      let scenario = check.plain.with {
        $0.retry.attempts = 2
        $0.retry.attemptDeadline = .milliseconds(50)
      }
      check.trial(scenario.of(1), "never answered") { trial in
        let first = try trial.call(at: 0)
        try trial.expect("a second attempt") { $0.starts.count == 2 || !$0.results.isEmpty }
        try trial.expect("the first attempt cancelled", rule: trial.rule) { _ in first.isCancelled }
        try trial.end(.failed(0, AttemptTimedOut(mediaIndex: 0)), isStable: false)
        let count = trial.backend.read { $0.starts.count }
        if count != 2 { throw trial.problem(seen: "\(count) attempts", promised: "2") }
      }
      let passed = check.plain.with { $0.retry.attemptDeadline = .zero }
      check.trial(passed.of(2), "no time at all for an attempt") { trial in
        try trial.end([0, 1].map { .failed($0, AttemptTimedOut(mediaIndex: $0)) }, isStable: false)
      }
      let hour = check.plain.with { $0.retry.attemptDeadline = .seconds(3600) }
      check.trial(hour.of(2), "in time") { try $0.publishRest() }
    },
    Script(
      "backoff",
      "Before another attempt the job waits as long as the policy says; a cancellation cuts that short.",
      of: .resilient
    ) { check in
      let hour = check.plain.with {
        $0.retry.firstBackoff = .seconds(3600)
        $0.retry.longestBackoff = .seconds(3600)
      }
      check.trial(hour.of(2), "cancelled during a backoff of an hour") { trial in
        try trial.settle()
        try trial.failTransiently(0)
        trial.cancel()
        try trial.end(.cancelled)
      }
      check.trial(hour.of(2), "another one refused during a backoff of an hour") { trial in
        try trial.settle()
        try trial.failTransiently(0)
        try trial.end(trial.fail(1))
      }
      let short = check.plain.with {
        $0.retry.firstBackoff = .milliseconds(8)
        $0.retry.longestBackoff = .milliseconds(8)
      }
      check.trial(short.of(1), "a backoff of some milliseconds") { trial in
        let begin = try trial.call(at: 0)
        let promised = short.retry.backoff(afterAttempt: 1, of: trial.post.media[0]).unsignedNanoseconds
        let failed = trial.now
        trial.backend.answer(begin, .failure(trial.scenario.refusal(ofLedgerIndex: 0, isTransient: true)))
        _ = try trial.call(at: 0)
        let waited = trial.backend.read { $0.starts[1].nanoseconds } - failed
        // The clocks of timers and of this kit may differ by a fraction.
        if waited + 1_000_000 < promised {
          throw trial.problem(seen: "a wait of \(waited) ns", promised: "\(promised) ns")
        }
        try trial.publishRest()
      }
    },
    Script(.deadline) { check in
      let short = check.plain.with { $0.retry.deadline = .milliseconds(20) }
      check.trial(short.of(3), "never answered") { try $0.end(.deadline, isStable: false) }
      check.trial(short.of(0), "the post is never answered") { try $0.end(.deadline, isStable: false) }
      let backoff = short.with {
        $0.retry.firstBackoff = .seconds(3600)
        $0.retry.longestBackoff = .seconds(3600)
      }
      check.trial(backoff.of(1), "passes during a backoff") { trial in
        // It may pass before the answer, too.
        _ = trial.backend.wait(untilNanoseconds: check.timeoutAtNanoseconds) { state in
          !state.calls.isEmpty || !state.results.isEmpty
        }
        for call in trial.backend.read({ $0.waiting }) {
          trial.backend.answer(call, .failure(trial.scenario.refusal(ofLedgerIndex: 0, isTransient: true)))
        }
        try trial.end(.deadline, isStable: false)
      }
      for passed in [Duration.zero, .seconds(-1)] {
        let scenario = check.plain.with { $0.retry.deadline = passed }
        check.trial(scenario.of(2), "has passed at the start") { trial in
          try trial.end(.deadline)
          let count = trial.backend.read { $0.starts.count }
          if count > 0 { throw trial.problem(seen: "\(count) uploads", promised: "none") }
        }
      }
      let hour = check.plain.with { $0.retry.deadline = .seconds(3600) }
      check.trial(hour.of(2), "in time") { try $0.publishRest() }
    },
  ]
}

extension Trial {
  /// Lets an attempt fail so that another one follows, and waits for that unless its backoff is an hour.
  fileprivate func failTransiently(_ media: Int) throws {
    try refuse(at: media, scenario.refusal(ofLedgerIndex: media, reason: "not now", isTransient: true))
  }
}
