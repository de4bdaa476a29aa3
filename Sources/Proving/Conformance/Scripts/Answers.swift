import UploadScenario

extension Rule {
  static let inlineAnswers = Rule(
    "inline-answers",
    "A service may answer on the caller's thread, any number of times, without deepening the stack.")
  static let exactlyOnce = Rule("exactly-once", "The completion is called exactly once.")
}

extension Script {
  static let answers: [Script] = [
    Script(Rule("answered-twice", "A second answer to the same request is ignored.", isSpecial: true)) {
      check in
      for shape in check.shapes {
        for second in [Result<Void, any Error>.success(()), .failure(check.plain.refusal(ofLedgerIndex: 0))] {
          check.trial(shape.of(4), "each answered twice") { trial in
            while !trial.course.isDone {
              try trial.settle()
              try trial.arrive(again: second)
            }
            try trial.settle()
            let post = try trial.call(at: nil)
            trial.backend.answer(post, .success(()), again: second)
            try trial.end(.published)
          }
        }
      }
    },
    Script(.exactlyOnce) { check in
      check.failAfter(0, 0, late: .fails)
      for shape in check.shapes { check.cancel(shape.of(3), after: 1, late: .fails) }
    },
    Script(.inlineAnswers) { check in
      for shape in check.shapes {
        let uploads = check.pattern.blocksThreads ? 2_000 : min(20_000, check.limits.mostUploads)
        check.largeTrial(shape.of(uploads), "answered inline", configure: { $0.answering = .inline }) {
          try $0.end(.published)
        }
      }
      for shape in check.shapes {
        let scenario = shape.of(20)
        for index in [0, 1, 9, 19] where index < scenario.fanOut && !scenario.pattern.races {
          let place = index * scenario.pattern.requestsPerUpload
          let error = scenario.refusal(ofLedgerIndex: place)
          check.trial(
            scenario, "answered inline, \(scenario.requestName(at: place)) refused",
            configure: { ($0.answering, $0.refusedIndex) = (.inline, place) }
          ) { try $0.end(.failed(index, error), isStable: false) }
        }
      }
    },
  ]

  static let scale: [Script] = [
    Script(Rule("many-uploads", "Many uploads at once all arrive.", in: .concurrent)) { check in
      let pattern = check.pattern
      // Without a second request for any of them, the most that are asked for.
      let most = pattern.races ? 10_000 : pattern.takesLimit && pattern.requests == .one ? .max : 2_000
      check.largeTrial(
        check.plain.of(min(most, check.limits.mostUploads)), "answered on four threads",
        configure: { $0.answering = .onThreads(check.threads) }
      ) { try $0.end(.published) }
    },
    Script(Rule("many-posts", "A thousand posts at once do not disturb each other.")) { check in
      check.posts(
        check.plain.of(3), "1000 posts at once", count: 1_000,
        configure: { $0.answering = .onThreads(check.threads) }
      ) { trial in
        for _ in 1..<1_000 { _ = trial.start() }
      }
    },
    Script(Rule("reentrancy", "A completion may start the next post.")) { check in
      for shape in check.shapes {
        check.posts(shape.of(2), "the next one started in its completion", count: 2) { trial in
          let start = trial.start
          trial.backend.change { $0.atTheFirstEnd = { _ = start() } }
          trial.backend.answerOnThreads(check.threads)
        }
      }
    },
  ]
}

extension PatternCheck {
  /// Several jobs on one backend, all of which must be published.
  fileprivate func posts(
    _ scenario: Scenario, _ moment: String, count: Int,
    configure: (inout Backend.State) -> Void = { _ in }, start: (Trial) -> Void
  ) {
    trial(scenario, moment, configure: configure) { trial in
      start(trial)
      try trial.expect("\(count) completions", rule: rule) { $0.results.count >= count }
      let receipts = try Expectation(scenario: scenario, post: trial.post, ending: .publication).receipts
      let publication = Publication(postID: trial.post.id, receipts: receipts)
      for result in trial.backend.read({ $0.results }) where (try? result.get()) != publication {
        throw trial.problem(seen: Oracle.describe(result), promised: "\(count) publications")
      }
    }
  }
}
