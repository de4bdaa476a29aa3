import UploadScenario

extension Rule {
  static let manyUploads = Rule("many-uploads", "Many uploads at once all arrive.", in: .concurrent)
  static let manyPosts = Rule("many-posts", "A thousand posts at once do not disturb each other.")
  static let reentrancy = Rule("reentrancy", "A completion may start the next post.")
}

extension Script {
  static let scale: [Script] = [
    Script(.manyUploads) { examination in
      let pattern = examination.pattern
      // Without a second request for any of them, the most that are asked for.
      let most = pattern.races ? 10_000 : pattern.takesLimit && pattern.requests == .one ? .max : 2_000
      let uploads = min(most, examination.mostUploads)
      examination.withMorePatience {
        examination.trial(
          of: .manyUploads, examination.plain.of(uploads), "answered on four threads",
          configure: { $0.answering = .onThreads(examination.threads) }
        ) { trial in
          try trial.end(.published)
        }
      }
    },
    Script(.manyPosts) { examination in
      examination.posts(of: .manyPosts, examination.plain.of(3), "1000 posts at once", count: 1_000) {
        trial in
        for _ in 1..<1_000 { _ = trial.start() }
      }
    },
    Script(.reentrancy) { examination in
      for shape in examination.shapes {
        examination.posts(of: .reentrancy, shape.of(2), "the next one started in its completion", count: 2) {
          trial in
          let start = trial.start
          trial.stage.change { $0.atTheFirstEnd = { _ = start() } }
          trial.stage.answerOnThreads(examination.threads)
        }
      }
    },
  ]
}

extension Examination {
  /// Several jobs on one stage, all of which must be published.
  fileprivate func posts(
    of rule: Rule, _ scenario: Scenario, _ moment: String, count: Int, start: (Trial) -> Void
  ) {
    let threads = threads
    trial(
      of: rule, scenario, moment,
      configure: { if rule == .manyPosts { $0.answering = .onThreads(threads) } }
    ) { trial in
      start(trial)
      try trial.expect("\(count) completions", rule: rule) { $0.results.count >= count }
      let receipts = try Expectation(scenario: scenario, post: trial.post, ending: .publication).receipts
      let publication = Publication(postID: trial.post.id, receipts: receipts)
      for result in trial.stage.read({ $0.results }) where (try? result.get()) != publication {
        throw trial.broken(rule, seen: Trial.describe(result), promised: "\(count) publications")
      }
    }
  }
}
