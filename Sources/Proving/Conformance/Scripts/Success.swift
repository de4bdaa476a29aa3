import UploadScenario

extension Rule {
  package static let ends = Rule("ends", "The job ends, and reports so, once everything is answered.")
  static let notEarly = Rule("not-early", "The completion is never called before the job is decided.")
  static let publication = Rule("publication", "A job in which all goes well ends with the publication.")
  static let everyUpload = Rule("every-upload", "Everything is asked for exactly once, and nothing else.")
  static let order = Rule(
    "order",
    "Receipts reach the post and the publication in the order of the media files, whichever arrives first."
  )
  static let postLast = Rule("post-last", "The post is created after the last upload has arrived.")
  static let onePost = Rule("one-post", "One post is created.")
  static let limit = Rule("limit", "No more requests are in flight than the limit allows.", in: .limited)
  static let limitUsed = Rule(
    "limit-used", "As many requests are in flight as the pattern and its limit allow.", in: .concurrent)
}

extension Script {
  static let success: [Script] = [
    Script(.ends) { $0.publish([1, 2, 5], .forward) },
    Script(.notEarly) { $0.publish([5], .forward) },
    Script(.publication) { $0.publish([1, 4], .reverse) },
    Script(.everyUpload) { $0.publish([6], .shuffled) },
    Script(.order) { check in
      for order in CompletionOrder.allCases { check.publish([2, 7], order) }
    },
    Script(.postLast) { $0.publish([3], .reverse) },
    Script(.onePost) { $0.publish([1, 3], .shuffled) },
    Script(.limit) { $0.publish([4, 7], .reverse) },
    Script(.limitUsed) { $0.publish([7], .forward) },
    Script(
      Rule(
        "empty-post", "A post without media files goes straight to the service.", in: .uploads,
        isSpecial: true)
    ) { check in
      check.trials(of: 0) { trial in
        try trial.settle()
        try trial.publishRest()
      }
    },
    Script(Rule("refused-post", "A post that is refused is the job's result.", isSpecial: true)) { check in
      for uploads in [0, 2] {
        check.trial(check.plain.of(uploads), "the post is refused") { trial in
          try trial.arriveAll()
          let error = UploadFailure(mediaIndex: -1, reason: "post refused", isTransient: true)
          try trial.answerPost(.failure(error))
          try trial.end(.failed(nil, error))
        }
      }
    },
    Script(Rule("without-handle", "The job goes on when its handle is dropped.", isSpecial: true)) { check in
      check.trials(of: 3, "the handle is dropped") { trial in
        trial.dropHandle()
        try trial.publishRest()
      }
    },
  ]
}

extension PatternCheck {
  /// Lets posts of several sizes be published in every shape of the pattern, uploads arriving in an order.
  func publish(_ sizes: [Int], _ order: CompletionOrder, rule: Rule = .publication) {
    for shape in shapes {
      for size in pattern.looksUp ? [3] : sizes {
        trial(shape.of(size), "answered \(order.rawValue)", rule: rule) { trial in
          var generator = SeededGenerator(seed: seed)
          while !trial.course.isDone {
            try trial.settle()
            let left = (0..<trial.course.count).filter { !trial.course.done.contains($0) }
            let next =
              switch order {
              case .forward: left[0]
              case .reverse: left[left.count - 1]
              case .shuffled: left.randomElement(using: &generator)!
              }
            // The second mirror wins as well as the first one.
            let isSecond = shape.asksBothMirrorsAtOnce && next % 2 == 1
            if isSecond { try trial.succeed(at: 2 * next + 1) } else { try trial.arrive(next) }
          }
          try trial.settle()
          try trial.publishRest()
        }
      }
    }
  }
}
