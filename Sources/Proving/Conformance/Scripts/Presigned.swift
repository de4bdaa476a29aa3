import UploadScenario

extension Rule {
  static let limitCoversPreparation = Rule(
    "limit-covers-preparation", "A media file is under way from its preparation to the end of its upload.",
    of: .presigned)
  static let preparesOffTheCaller = Rule(
    "prepares-off-the-caller", "Media are prepared off the calling thread.", of: .presigned)
  static let itsOwnURL = Rule(
    "its-own-url", "A media file is uploaded to the URL that was issued for it.", of: .presigned)
}

extension Script {
  static let presigned: [Script] = [
    Script(.limitCoversPreparation) { $0.urlsFirst([7]) },
    Script(.preparesOffTheCaller) { $0.publish([3], .forward) },
    Script(.itsOwnURL) { $0.urlsFirst([1, 5]) },
    Script("failed-preparation", "A media file that cannot be prepared fails the job.", of: .presigned) {
      check in
      for index in 0..<3 {
        check.trials(of: 3, "media file \(index) cannot be read", configure: { $0.unpreparableMedia = index })
        {
          trial in
          try trial.arriveUntilTheEnd()
          try trial.end(.failed(index, Unreadable(what: "media file \(index)")), isStable: false)
        }
      }
    },
  ]
}

extension PatternCheck {
  /// All URLs that can be are issued, the last one first, before anything is uploaded.
  fileprivate func urlsFirst(_ sizes: [Int]) {
    for size in sizes {
      trials(of: size, "URLs are issued last first") { trial in
        func inFlight() -> [Int] { trial.backend.read { $0.calls.compactMap(\.ledgerIndex) } }
        while !trial.course.isDone {
          try trial.settle()
          for url in inFlight().filter({ $0 % 2 == 0 }).sorted(by: >) { try trial.succeed(at: url) }
          try trial.settle()
          if let last = inFlight().filter({ $0 % 2 == 1 }).max() { try trial.succeed(at: last) }
        }
        try trial.settle()
        try trial.publishRest()
      }
    }
  }
}
