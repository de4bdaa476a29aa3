import UploadScenario

extension Rule {
  static let loserCancelled = Rule(
    "loser-cancelled", "The mirror that lost is cancelled at once, and its late answer ignored.", of: .race)
}

extension Script {
  static let race: [Script] = [
    Script(
      "hedge",
      "The second mirror is asked after the hedge delay, unless the first has taken the media file by then.",
      of: .race
    ) { check in
      let hour = check.plain.with { $0.hedgeDelay = .seconds(3600) }
      check.trial(hour.of(3), "the first mirror takes all") { trial in
        for media in 0..<3 { try trial.succeed(at: 2 * media) }
        try trial.publishRest()
        if let second = trial.backend.read({ state in state.starts.first { $0.index % 2 == 1 } }) {
          throw trial.problem(
            seen: "\(trial.scenario.requestName(at: second.index)) asked",
            promised: "not within an hour")
        }
      }
      let short = check.plain.with { $0.hedgeDelay = .milliseconds(5) }
      check.trial(short.of(2), "the first mirror is silent") { trial in
        for media in 0..<2 { try trial.succeed(at: 2 * media + 1) }
        let starts = trial.backend.read { $0.starts }
        for media in 0..<2 {
          let times = [0, 1].compactMap { mirror in
            starts.first { $0.index == 2 * media + mirror }?.nanoseconds
          }
          // The clocks of timers and of this kit may differ by a fraction.
          if times.count == 2, times[1] < times[0] + 4_000_000 {
            throw trial.problem(
              seen: "the second mirror asked after \(Int64(times[1]) - Int64(times[0])) ns",
              promised: "after 5 ms")
          }
        }
        try trial.publishRest()
      }
      check.trial(check.plain.of(3), "no delay") { trial in
        for index in 0..<6 { _ = try trial.call(at: index) }
        for media in 0..<3 { try trial.succeed(at: 2 * media + media % 2) }
        try trial.publishRest()
      }
    },
    Script(.loserCancelled) { check in
      for late in Backend.Late.allCases {
        for winner in [0, 1] {
          check.trial(
            check.plain.of(2), "mirror \(winner) wins, the other one \(late.rawValue)",
            configure: { $0.late = late }
          ) { trial in
            for media in 0..<2 {
              let loser = try trial.call(at: 2 * media + 1 - winner)
              try trial.succeed(at: 2 * media + winner)
              try trial.expect("the loser cancelled", rule: .loserCancelled) { _ in loser.isCancelled }
            }
            try trial.publishRest()
          }
        }
      }
    },
    Script("one-mirror-fails", "One failing mirror does not lose the race.", of: .race) { check in
      for isTransient in [false, true] {
        for loser in [0, 1] {
          check.trial(check.plain.of(3), "mirror \(loser) fails") { trial in
            for media in 0..<3 {
              let place = 2 * media + loser
              try trial.refuse(
                at: place, trial.scenario.refusal(ofLedgerIndex: place, isTransient: isTransient))
              try trial.settle()
              try trial.succeed(at: place ^ 1)
            }
            try trial.publishRest()
          }
        }
      }
    },
    Script(
      "both-mirrors-fail", "When both mirrors fail, the error names what each of them said.", of: .race
    ) { check in
      for first in [0, 1] {
        for media in 0..<3 {
          check.trial(check.plain.of(3), "mirror \(first) fails first") { trial in
            try trial.settle()
            let errors = [0, 1].map {
              trial.scenario.refusal(ofLedgerIndex: 2 * media + $0, reason: "mirror \($0) refused")
            }
            try trial.refuse(at: 2 * media + first, errors[first])
            try trial.settle()
            try trial.refuse(at: 2 * media + 1 - first, errors[1 - first])
            try trial.end(
              .failed(media, RaceFailure(mediaIndex: media, primary: errors[0], secondary: errors[1])))
          }
        }
      }
    },
  ]
}
