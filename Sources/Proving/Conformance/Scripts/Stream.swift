import UploadScenario

extension Rule {
  static let boundedChunks = Rule(
    "bounded-chunks", "No more chunks exist than the buffer and the uploaders hold: the producer waits.",
    of: .stream)
  static let readsAhead = Rule(
    "reads-ahead", "The producer fills the buffer while the uploaders are busy.", of: .stream)
  static let readsOffTheCaller = Rule(
    "reads-off-the-caller", "A media file is read off the calling thread.", of: .stream)
}

extension Script {
  static let stream: [Script] = [
    Script(.boundedChunks) { check in
      check.publish([40], .shuffled, rule: .boundedChunks)
      check.publish([40], .forward, rule: .boundedChunks)
    },
    Script(.readsAhead) { check in
      for shape in check.shapes where shape.bufferCapacity > 1 {
        check.whileTheProducerWaits(shape, "nothing is answered") { trial in
          try trial.publishRest()
        }
      }
    },
    Script(.readsOffTheCaller) { $0.publish([3], .forward) },
    Script("failed-read", "A chunk that cannot be read fails the job.", of: .stream) { check in
      for index in [0, 1, 4] {
        check.trials(of: 5, "chunk \(index) cannot be read", configure: { $0.unreadableChunk = index }) {
          trial in
          try trial.arriveUntilTheEnd()
          try trial.end(.failed(index, Unreadable(what: "chunk \(index)")), isStable: false)
        }
      }
    },
    Script(
      "waiting-producer",
      "A failure and a cancellation wake a producer that waits for a place in the buffer.",
      of: .stream
    ) { check in
      for shape in check.shapes {
        check.whileTheProducerWaits(shape, "cancelled") { trial in
          trial.cancel()
          try trial.end(.cancelled)
        }
        check.whileTheProducerWaits(shape, "one fails") { trial in
          try trial.end(trial.fail())
        }
      }
    },
  ]
}

extension PatternCheck {
  /// Twenty chunks, of which as many are read as there is room for; the uploads have not been answered.
  fileprivate func whileTheProducerWaits(
    _ shape: Scenario, _ moment: String, _ script: (Trial) throws -> Void
  ) {
    trial(shape.of(20), "the producer waits; \(moment)") { trial in
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
