import UploadScenario

extension Play {
  /// This play without what the contender says it breaks, unless the rule is about that; nil: nothing is left to try.
  ///
  /// Else a known breach would come to light in place of what the rule is about.
  func avoiding(_ broken: Set<Promise>, under rule: Promise) -> Play? {
    func avoids(_ promises: Promise...) -> Bool {
      !broken.isDisjoint(with: promises) && !promises.contains(rule)
    }
    func isAbout(_ goals: Set<Goal>) -> Bool {
      let own = rule.descriptor.goals
      return !own.isEmpty && own.allSatisfy(goals.contains)
    }
    var play = self
    if avoids(.limit, .limitUsed) { play.scenario.limit = nil }
    if avoids(.withoutHandle) { play.dropsHandle = false }
    let isCancelled =
      switch stop {
      case .cancelled, .cancelledInside, .postCancelled, .atWork(_, .cancelled): true
      default: false
      }
    if isCancelled, avoids(.cancellation), !isAbout([.cancellation, .cancelledPost]) { return nil }
    let hasFailure = !refused.isEmpty || unreadable != nil
    return hasFailure && avoids(.firstFailure, .inFlightCancelled) && !isAbout([.failure]) ? nil : play
  }
}
