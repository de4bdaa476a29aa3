import Conformance
import Exploration

/// What a step touches, as far as it is known: of the kit's model, of the service and of what tasks and coroutines share.
extension ScheduledRun {
  /// The names of what is touched.
  private enum Name {
    /// What those share that do not tell it.
    static let shared: UInt64 = 0
    /// The reasons why the job must stop.
    static let stop: UInt64 = 1
    /// How much has been asked for, and how much was answered: where there is a limit.
    static let (asked, answered): (UInt64, UInt64) = (2, 3)
    /// Whether something is ready, where it matters: once nothing is, the job is known to have heard why it must stop, and time may pass.
    static let readiness: UInt64 = 4
    /// The chunks in memory.
    static let chunks: UInt64 = 5
    /// Who sleeps, while time must not pass.
    static let sleepers: UInt64 = 6
    /// What time it is, and which timers wait.
    static let time: UInt64 = 7

    /// All that is about one upload.
    static func unit(_ number: Int) -> UInt64 { 8 + UInt64(number) }
    /// A task or a coroutine itself.
    static func owner(_ id: UInt64) -> UInt64 { id }
    /// What its children leave for it when they end.
    static func children(of id: UInt64) -> UInt64 { id &+ 1 }
    /// What it tells those that it has made, and those that they have: to stop.
    static func orders(of id: UInt64) -> UInt64 { id &+ 2 }
  }

  /// What can be seen of a step.
  struct Seen {
    fileprivate let activity: Backend.Activity
    fileprivate let ready: Int
    fileprivate let timers: Int
    /// How often somebody has asked what time it is.
    fileprivate let looks: Int
    fileprivate let letsTimePass: Bool
    /// How many of those that are ready are to stop.
    fileprivate let told: Int

    init(_ backend: Backend, _ steps: any Steps) {
      activity = backend.activity
      (ready, timers, letsTimePass) = (steps.ready.count, steps.timerCount, steps.letsTimePass)
      (looks, told) = (steps.looks, steps.toldCount(of: ready))
    }

    /// The job must stop, and may not have heard it.
    fileprivate var isStopping: Bool { activity.reasons > 0 && !activity.isStopTaken }
  }

  /// Of a step that breaks something, asks for the post, or ends the job: everything. So of one after which the job is known to have heard
  /// that it must stop: then nothing may start any more.
  func footprint(of event: Event, _ step: Step, _ call: HeldCall?, since before: Seen) -> Footprint {
    let after = Seen(backend, steps)
    seen = after
    let asks = after.activity.asks - before.activity.asks
    var hasEnded = false
    if case .step = event {
      // For an answer, for the clock, for those that it has made.
      let waits = asks > 0 || after.timers > before.timers || steps.hasMadeTask
      hasEnded = note(step, asked: asks, waits: waits, looksAtTime: after.looks != before.looks)
    }
    if after.activity.hasEnded || after.activity.breaches != before.activity.breaches
      || after.activity.posts != before.activity.posts || asks > 1
      || asks == 0 && after.activity.prepared != before.activity.prepared
      || after.activity.isStopTaken != before.activity.isStopTaken || scenario.pattern.blocksThreads
    {
      return .everything
    }
    switch event {
    case .step: return ofStep(step, since: before, after, hasAsked: asks == 1, hasEnded)
    case .answer(_, let answer): return ofAnswer(call!, answer, since: before, after)
    case .advanceClock: return ofClock(since: before, after)
    case .cancel: return .everything
    }
  }

  private func ofStep(_ step: Step, since before: Seen, _ after: Seen, hasAsked: Bool, _ hasEnded: Bool)
    -> Footprint
  {
    var footprint = Footprint()
    let owner = steps.owner(of: step)
    if hasAsked {
      guard let call = backend.calls.last, let index = call.ledgerIndex else {
        return .everything
      }
      while askers.count <= call.number { askers.append(0) }
      askers[call.number] = owner
      writes(Name.unit(unit(of: index)), &footprint)
      reads(Name.stop, &footprint)
      if scenario.mostUnderWay != nil {
        adds(Name.asked, &footprint)
        reads(Name.answered, &footprint)
      }
    }
    guard addCancels(since: before, after, &footprint) else { return .everything }
    if after.activity.chunksRead != before.activity.chunksRead { writes(Name.chunks, &footprint) }
    if after.activity.reasons != before.activity.reasons { writes(Name.stop, &footprint) }
    // When somebody asks is judged, and when a timer is taken back.
    if hasAsked || after.timers != before.timers || after.looks != before.looks {
      reads(Name.time, &footprint)
    }
    if after.isStopping { adds(Name.readiness, &footprint) }
    if !before.letsTimePass {
      let isLess = after.timers < before.timers
      if isLess { writes(Name.sleepers, &footprint) } else { adds(Name.sleepers, &footprint) }
    }
    guard let ancestors = steps.ancestors(of: owner) else {
      writes(Name.shared, &footprint)
      return footprint
    }
    if scenario.pattern.isChunked { writes(Name.shared, &footprint) } else { reads(Name.shared, &footprint) }
    writes(Name.owner(owner), &footprint)
    writes(Name.children(of: owner), &footprint)
    for ancestor in ancestors { reads(Name.orders(of: ancestor), &footprint) }
    if hasOrdered(since: before, after) { writes(Name.orders(of: owner), &footprint) }
    guard let reached = steps.reached else {
      if hasEnded, let parent = ancestors.first { writes(Name.children(of: parent), &footprint) }
      return footprint
    }
    // Who ends counts down, and the last one makes its parent ready.
    if hasEnded, let parent = ancestors.first { adds(Name.children(of: parent), &footprint) }
    for other in reached where !steps.isWithin(owner, other.owner) {
      if other.owner == ancestors.first, other.hasJoined { continue }
      if other.owner == ancestors.first, !other.isTold {
        writes(Name.children(of: other.owner), &footprint)
      } else if let common = ancestors.first(where: { steps.isWithin($0, other.owner) }) {
        writes(Name.orders(of: common), &footprint)
        writes(Name.children(of: common), &footprint)
      } else {
        return .everything
      }
    }
    return footprint
  }

  /// Whether those that the owner has made may have heard something of its step.
  ///
  /// Whoever is told to stop cancels its request at once, also if that has been answered, or its sleep.
  private func hasOrdered(since before: Seen, _ after: Seen) -> Bool {
    guard steps.reached == nil else { return steps.hasOrdered }
    return after.activity.cancelCalls != before.activity.cancelCalls || after.timers < before.timers
      || steps.toldCount(of: before.ready - 1) + (steps.wasCancelled == true ? 1 : 0) != before.told
  }

  /// Adds the calls that were cancelled; false: whether they might be depends on more than is known.
  private func addCancels(since before: Seen, _ after: Seen, _ footprint: inout Footprint) -> Bool {
    guard after.activity.cancels != before.activity.cancels else { return true }
    return backend.read { state in
      for call in state.cancels(after: before.activity.cancels) {
        guard let index = call.ledgerIndex, before.activity.reasons > 0 || state.model.isDone(index) else {
          return false
        }
        writes(Name.unit(unit(of: index)), &footprint)
      }
      reads(Name.stop, &footprint)
      return true
    }
  }

  private func ofAnswer(_ call: HeldCall, _ answer: Answer, since before: Seen, _ after: Seen)
    -> Footprint
  {
    guard let index = call.ledgerIndex, after.activity.cancels == before.activity.cancels else {
      return .everything
    }
    // Who waits for an answer is made ready by it, or was already, and does nothing before its turn comes.
    let asker = call.number < askers.count ? askers[call.number] : 0
    let owner: UInt64
    switch after.ready - before.ready {
    case 1: owner = steps.owner(of: steps.ready.last!)
    case 0 where steps.reached != nil: owner = asker
    default: return .everything
    }
    var footprint = Footprint()
    if let ancestors = steps.ancestors(of: owner) {
      // They may cancel it, and nobody would see that if it was answered before.
      guard owner == asker else { return .everything }
      for ancestor in ancestors { reads(Name.orders(of: ancestor), &footprint) }
    } else {
      // Any of them may cancel it.
      reads(Name.shared, &footprint)
    }
    writes(Name.owner(owner), &footprint)
    writes(Name.unit(unit(of: index)), &footprint)
    if case .fails = answer { writes(Name.stop, &footprint) }
    if scenario.mostUnderWay != nil {
      adds(Name.answered, &footprint)
      reads(Name.asked, &footprint)
    }
    if scenario.pattern.isChunked { adds(Name.chunks, &footprint) }
    hurries(since: before, after, &footprint)
    return footprint
  }

  /// Without what it has made ready, nothing might have been, and then others hear of a reason to stop before it.
  private func hurries(since before: Seen, _ after: Seen, _ footprint: inout Footprint) {
    if after.ready > before.ready, before.isStopping, before.activity.cancelledInFlight == 0 {
      reads(Name.readiness, &footprint)
    }
  }

  /// Where answers are judged by the time they took, the clock touches everything.
  private func ofClock(since before: Seen, _ after: Seen) -> Footprint {
    let woken = after.ready - before.ready
    guard !scenario.pattern.retries, woken == before.timers - after.timers, after.activity == before.activity
    else { return .everything }
    var footprint = Footprint()
    for step in steps.ready.suffix(woken) {
      let owner = steps.owner(of: step)
      guard let ancestors = steps.ancestors(of: owner) else { return .everything }
      writes(Name.owner(owner), &footprint)
      // They might have told it to stop before.
      for ancestor in ancestors { reads(Name.orders(of: ancestor), &footprint) }
    }
    writes(Name.time, &footprint)
    writes(Name.sleepers, &footprint)
    hurries(since: before, after, &footprint)
    return footprint
  }

  private func adds(_ name: UInt64, _ footprint: inout Footprint) { footprint.adds(to: search.object(name)) }
  private func reads(_ name: UInt64, _ footprint: inout Footprint) { footprint.reads(search.object(name)) }
  private func writes(_ name: UInt64, _ footprint: inout Footprint) { footprint.writes(search.object(name)) }

  private func unit(of index: Int) -> Int { index / scenario.pattern.requestsPerUpload }
}

/// The state that a schedule has led to, as far as anybody can see it: what service and model have come to, what is ready and why, which
/// timers wait, and what each task or coroutine has gone through.
extension ScheduledRun {
  /// What somebody has seen and done, step after step.
  struct History {
    let owner: UInt64
    let parent: UInt64
    /// Nothing but its parent, whose history has it, can see any more what it has gone through.
    var hasEnded = false
    var steps = StateHash()
  }

  /// nil: nobody knows what those share that go on inside of answers.
  var state: UInt64? {
    guard !steps.areInline else { return nil }
    var hash = StateHash()
    hash.add(backend.stateHash)
    hash.add(steps.stateHash)
    hash.add(steps.clock())
    hash.add(failures)
    hash.add(refused ?? -1)
    hash.add(isCancelled, hasClockMoved)
    // A sum: they are in the order in which they came.
    var sum: UInt64 = 0
    for history in histories where !history.hasEnded {
      var hash = history.steps
      hash.add(history.owner)
      sum &+= hash.value
    }
    hash.add(sum)
    return hash.value
  }

  /// Adds a step to the history of who took it.
  ///
  /// - Parameters:
  ///   - asked: how many requests were made in it.
  ///   - waits: for something that it has asked for or made; false: it may have ended, unless it waits for others.
  ///   - looksAtTime: others do not know what time it is.
  /// - Returns: whether it may have ended.
  func note(_ step: Step, asked: Int, waits: Bool, looksAtTime: Bool) -> Bool {
    let owner = steps.owner(of: step)
    guard let ancestors = steps.ancestors(of: owner), !scenario.pattern.isChunked else {
      for value in [step.id, steps.cause] { noteShared(value) }
      if looksAtTime { noteShared(steps.clock()) }
      return !waits
    }
    let index = history(of: owner, in: ancestors.first ?? 0)
    histories[index].hasEnded = false
    histories[index].steps.add(steps.cause)
    if looksAtTime { histories[index].steps.add(steps.clock()) }
    histories[index].steps.add(asked == 0 ? -1 : backend.calls.last?.ledgerIndex ?? -2)
    switch steps.wasCancelled {
    case let flag?: histories[index].steps.add(flag)
    case nil:
      histories[index].steps.add(isCancelled)
      histories[index].steps.add(backend.activity.reasons)
    }
    // A coroutine that has ended may share its history with others.
    guard steps.reached == nil, !waits else { return !waits && steps.mayHaveEnded }
    guard !histories.contains(where: { !$0.hasEnded && $0.parent == owner }),
      !steps.ready.contains(where: { steps.ancestors(of: $0.lane)?.first == owner })
    else { return false }
    histories[index].hasEnded = true
    let parent = history(of: histories[index].parent, in: ancestors.dropFirst().first ?? 0)
    histories[parent].steps.add(owner)
    histories[parent].steps.add(histories[index].steps.value)
    return true
  }

  /// What several share that do not tell what they touch is as the order of all such steps has made it.
  func noteShared(_ value: UInt64) { histories[history(of: 0, in: 0)].steps.add(value) }

  private func history(of owner: UInt64, in parent: UInt64) -> Int {
    if let index = histories.firstIndex(where: { $0.owner == owner }) { return index }
    histories.append(History(owner: owner, parent: parent))
    return histories.count - 1
  }
}
