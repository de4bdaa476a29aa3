import Conformance
import Exploration

/// What a step touches, as far as it is known: of the kit's model, of the service and of what tasks share.
extension ScheduledRun {
  /// The objects of `Footprint`.
  private enum Touched {
    /// What tasks share that do not tell it.
    static let tasks = 0
    /// The reason why the job must stop.
    static let stop = 1
    /// How much has been asked for, and how much was answered: where there is a limit.
    static let (asked, answered) = (2, 3)

    /// All that is about one upload.
    static func unit(_ number: Int) -> Int { 4 + number % 8 }
    /// A task, or what goes on because of one answer.
    static func lane(_ id: UInt64) -> Int { 12 + Int(id % 52) }
  }

  /// What can be seen of a step.
  struct Seen {
    fileprivate let activity: Backend.Activity
    fileprivate let ready: Int
    fileprivate let timers: Int

    init(_ backend: Backend, _ steps: any Steps) {
      activity = backend.read { $0.activity }
      (ready, timers) = (steps.ready.count, steps.timerCount)
    }
  }

  /// Of a step that cancels, reads or breaks something, asks for the post, or ends the job: everything. So of one after which nothing
  /// is ready once the job must stop: then nothing may start any more.
  func footprint(of event: Event, _ step: Step, since before: Seen) -> Footprint {
    let after = Seen(backend, steps)
    let (hasEnded, isStopping) = backend.read { ($0.model.hasEnded, $0.model.isStopping) }
    let asks = after.activity.asks - before.activity.asks
    if hasEnded || after.activity.others != before.activity.others
      || after.activity.posts != before.activity.posts || asks > 1 || after.ready == 0 && isStopping
      || scenario.pattern.blocksThreads
    {
      return .everything
    }
    switch event {
    case .step: return ofStep(step, since: before, after, hasAsked: asks == 1)
    case .answer(let call, let error): return ofAnswer(call, error, since: before)
    case .advanceClock, .cancel: return .everything
    }
  }

  private func ofStep(_ step: Step, since before: Seen, _ after: Seen, hasAsked: Bool) -> Footprint {
    var footprint = Footprint()
    if hasAsked {
      guard let call = backend.read({ $0.calls.last }), let index = call.ledgerIndex else {
        return .everything
      }
      footprint.writes(Touched.unit(unit(of: index)))
      footprint.reads(Touched.stop)
      if scenario.mostUnderWay != nil {
        footprint.adds(to: Touched.asked)
        footprint.reads(Touched.answered)
      }
    }
    guard let ancestors = steps.ancestors(of: step.lane) else {
      footprint.writes(Touched.tasks)
      return footprint
    }
    footprint.reads(Touched.tasks)
    footprint.writes(Touched.lane(step.lane))
    // Whom they have made, they may cancel.
    for ancestor in ancestors { footprint.reads(Touched.lane(ancestor)) }
    // It has ended, unless it waits: for an answer, for the clock, for the tasks that it has made.
    let waits = hasAsked || after.timers > before.timers || steps.hasMadeTask
    if !waits, let parent = ancestors.first { footprint.writes(Touched.lane(parent)) }
    return footprint
  }

  private func ofAnswer(_ call: HeldCall, _ error: (any Error)?, since before: Seen) -> Footprint {
    // Who waits for an answer is made ready by it, and does nothing before its turn comes. What has made nobody ready, or
    // several, does not tell what it has done.
    guard steps.ready.count == before.ready + 1, let woken = steps.ready.last else { return .everything }
    var footprint = Footprint()
    footprint.writes(Touched.lane(woken.lane))
    if let index = call.ledgerIndex { footprint.writes(Touched.unit(unit(of: index))) }
    if error != nil, !call.isCancelled { footprint.writes(Touched.stop) }
    if scenario.mostUnderWay != nil {
      footprint.adds(to: Touched.answered)
      footprint.reads(Touched.asked)
    }
    return footprint
  }

  private func unit(of index: Int) -> Int { index / scenario.pattern.requestsPerUpload }
}
