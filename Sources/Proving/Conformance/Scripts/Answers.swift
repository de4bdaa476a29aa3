import UploadScenario

extension Rule {
  static let inlineAnswers = Rule(
    "inline-answers",
    "A service may answer on the caller's thread, any number of times, without deepening the stack.")
  static let answeredTwice = Rule(
    "answered-twice", "A second answer to the same request is ignored.", isSpecial: true)
  static let exactlyOnce = Rule("exactly-once", "The completion is called exactly once.")
}

extension Script {
  static let answers: [Script] = [
    Script(.answeredTwice) { examination in
      for shape in examination.shapes {
        for second in [
          Result<Void, any Error>.success(()), .failure(examination.plain.refusal(ofLedgerIndex: 0)),
        ] {
          examination.trial(of: .answeredTwice, shape.of(4), "each answered twice") { trial in
            while !trial.course.isDone {
              try trial.settle()
              try trial.arrive(again: second)
            }
            try trial.settle()
            let post = try trial.call(at: nil)
            trial.stage.answer(post, .success(()), again: second)
            try trial.end(.published)
          }
        }
      }
    },
    Script(.exactlyOnce) { examination in
      examination.failAfter(0, 0, late: .fails)
      for shape in examination.shapes {
        examination.cancel(shape.of(3), after: 1, late: .fails)
      }
    },
    Script(.inlineAnswers) { examination in
      for shape in examination.shapes {
        let uploads = examination.pattern.blocksThreads ? 2_000 : min(20_000, examination.mostUploads)
        examination.withMorePatience {
          examination.trial(
            of: .inlineAnswers, shape.of(uploads), "answered inline", configure: { $0.answering = .inline }
          ) { trial in
            try trial.end(.published)
          }
        }
      }
      for shape in examination.shapes {
        let scenario = shape.of(20)
        for index in [0, 1, 9, 19] where index < scenario.fanOut && !scenario.pattern.races {
          let place = index * scenario.pattern.requestsPerUpload
          let error = scenario.refusal(ofLedgerIndex: place)
          examination.trial(
            of: .inlineAnswers, scenario, "answered inline, \(scenario.requestName(at: place)) refused",
            configure: {
              $0.answering = .inline
              $0.refusedIndex = place
            }
          ) { trial in
            try trial.end(.failed(index, error), isStable: false)
          }
        }
      }
    },
  ]
}
