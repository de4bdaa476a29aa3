import UploadScenario

extension Rule {
  static let limitCoversPreparation = Rule(
    "limit-covers-preparation", "A media is under way from its preparation to the end of its upload.",
    in: [.presigned], isSpecial: true)
  static let preparesOffTheCaller = Rule(
    "prepares-off-the-caller", "Media are prepared off the calling thread.", in: [.presigned], isSpecial: true
  )
  static let itsOwnURL = Rule(
    "its-own-url", "A media is uploaded to the URL that was issued for it.", in: [.presigned], isSpecial: true
  )
  static let failedPreparation = Rule(
    "failed-preparation", "A media that cannot be prepared fails the job.", in: [.presigned], isSpecial: true)
}

extension Script {
  static let presigned: [Script] = [
    Script(.limitCoversPreparation) { $0.urlsFirst([7], rule: .limitCoversPreparation) },
    Script(.preparesOffTheCaller) { $0.publish([3], .forward) },
    Script(.itsOwnURL) { $0.urlsFirst([1, 5], rule: .itsOwnURL) },
    Script(.failedPreparation) { check in
      for shape in check.shapes {
        for index in 0..<3 {
          check.trial(
            of: .failedPreparation, shape.of(3), "media \(index) cannot be read",
            configure: { $0.unpreparableMedia = index }
          ) { trial in
            try trial.arriveUntilTheEnd()
            try trial.end(.failed(index, Unreadable(what: "media \(index)")), isStable: false)
          }
        }
      }
    },
  ]
}

extension PatternCheck {
  /// All URLs that can be are issued, the last one first, before anything is uploaded.
  fileprivate func urlsFirst(_ sizes: [Int], rule: Rule) {
    for shape in shapes {
      for size in sizes {
        trial(of: rule, shape.of(size), "URLs are issued last first") { trial in
          while !trial.course.isDone {
            try trial.settle()
            let urls = trial.backend.read { state in
              state.calls.compactMap(\.ledgerIndex).filter { $0 % 2 == 0 }
            }
            for url in urls.sorted(by: >) { try trial.succeed(at: url) }
            try trial.settle()
            let uploads = trial.backend.read { state in state.calls.compactMap(\.ledgerIndex) }
            if let last = uploads.filter({ $0 % 2 == 1 }).max() { try trial.succeed(at: last) }
          }
          try trial.settle()
          try trial.publishRest()
        }
      }
    }
  }
}
