import UploadScenario

extension Script {
  static let badInput: [Script] = [
    Script(
      Rule(
        "bad-input", "What makes no sense is refused with InvalidScenario, and nothing is started.",
        isSpecial: true)
    ) { check in
      for (what, scenario) in check.senseless {
        check.trial(scenario, what) { trial in
          try trial.expect("InvalidScenario") { !$0.results.isEmpty }
          let (results, starts) = trial.backend.read { ($0.results, $0.starts.count + $0.postsAskedFor) }
          guard case .failure(let error as InvalidScenario) = results[0], error == scenario.problem else {
            throw trial.problem(seen: Oracle.describe(results[0]), promised: "InvalidScenario")
          }
          if starts > 0 { throw trial.problem(seen: "\(starts) requests", promised: "none") }
          try trial.awaitNothingLeft()
        }
      }
    }
  ]
}

extension PatternCheck {
  /// What nobody can be asked to do.
  fileprivate var senseless: [(String, Scenario)] {
    let two = plain.of(2)
    var list: [(String, Scenario)] = [
      ("more media files than a post may have", two.with { $0.photos = Post.mostMedia + 1 }),
      ("a limit of 0", two.with { $0.limit = 0 }), ("a negative limit", two.with { $0.limit = -3 }),
    ]
    if !pattern.prepares { list.append(("a priority", two.with { $0.priority = .high })) }
    switch pattern.requests {
    case .urlThenUpload: list.append(("a post behind -1 others", two.with { $0.behind = -1 }))
    case .mirrors: list.append(("a negative delay", two.with { $0.hedgeDelay = .milliseconds(-1) }))
    case .attempts:
      list += [0, -1].map { attempts in ("\(attempts) attempts", two.with { $0.retry.attempts = attempts }) }
      list.append(("a negative backoff", two.with { $0.retry.firstBackoff = .seconds(-1) }))
    case .one: break
    }
    if pattern.isChunked {
      list += [
        ("a negative buffer", two.with { $0.bufferCapacity = -1 }),
        ("no uploader", two.with { $0.uploaders = 0 }),
        ("two media files", two.with { $0.photos = 2 }),
      ]
    }
    return list
  }
}
