import UploadScenario

extension Rule {
  static let boundedChunks = Rule(
    "bounded-chunks", "No more chunks exist than the buffer and the uploaders hold: the producer waits.",
    in: [.stream], isSpecial: true)
  static let readsAhead = Rule(
    "reads-ahead", "The producer fills the buffer while the uploaders are busy.", in: [.stream],
    isSpecial: true)
  static let readsOffTheCaller = Rule(
    "reads-off-the-caller", "A media is read off the calling thread.", in: [.stream], isSpecial: true)
  static let failedRead = Rule(
    "failed-read", "A chunk that cannot be read fails the job.", in: [.stream], isSpecial: true)
  static let waitingProducer = Rule(
    "waiting-producer", "A failure and a cancellation wake a producer that waits for a place in the buffer.",
    in: [.stream], isSpecial: true)
}

extension Script {
  static let stream: [Script] = [
    Script(.boundedChunks) { check in
      check.publish([40], .shuffled, rule: .boundedChunks)
      check.publish([40], .forward, rule: .boundedChunks)
    },
    Script(.readsAhead) { check in
      for shape in check.shapes where shape.bufferCapacity > 1 {
        check.whileTheProducerWaits(of: .readsAhead, shape, "nothing is answered") { trial in
          try trial.publishRest()
        }
      }
    },
    Script(.readsOffTheCaller) { $0.publish([3], .forward) },
    Script(.failedRead) { check in
      for shape in check.shapes {
        for index in [0, 1, 4] {
          check.trial(
            of: .failedRead, shape.of(5), "chunk \(index) cannot be read",
            configure: { $0.unreadableChunk = index }
          ) { trial in
            try trial.arriveUntilTheEnd()
            try trial.end(.failed(index, Unreadable(what: "chunk \(index)")), isStable: false)
          }
        }
      }
    },
    Script(.waitingProducer) { check in
      for shape in check.shapes {
        check.whileTheProducerWaits(of: .waitingProducer, shape, "cancelled") { trial in
          trial.cancel()
          try trial.end(.cancelled)
        }
        check.whileTheProducerWaits(of: .waitingProducer, shape, "one fails") { trial in
          let ending = try trial.fail()
          try trial.end(ending)
        }
      }
    },
  ]
}

extension PatternCheck {
  /// Twenty chunks, of which as many are read as there is room for; the uploads have not been answered.
  fileprivate func whileTheProducerWaits(
    of rule: Rule, _ shape: Scenario, _ moment: String, _ script: (Trial) throws -> Void
  ) {
    trial(of: rule, shape.of(20), "the producer waits; \(moment)") { trial in
      try trial.settle()
      if shape.bufferCapacity > 0 {
        try trial.expect("a full buffer", rule: .readsAhead) { state in
          state.chunksRead >= shape.uploaders + shape.bufferCapacity - 1
        }
      }
      try script(trial)
    }
  }
}
