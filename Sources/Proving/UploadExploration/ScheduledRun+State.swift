import Conformance
import Exploration

/// The state that a schedule has led to, as far as it can be observed: what service and model have come to, what is ready and why, which
/// timers wait, and what each task or coroutine has gone through.
extension ScheduledRun {
  /// What a task or the service has seen and done, step after step.
  struct History {
    let owner: UInt64
    let parent: UInt64
    /// Nothing but its parent, whose history has it, can see any more what it has gone through.
    var hasEnded = false
    var steps = StateHash()
  }

  /// nil: what those share that go on inside of answers is not known.
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

  /// What can be seen of a step in service and timers.
  struct Seen {
    /// How many requests were made.
    let asks: Int
    let timers: Int
    /// How often the time has been read.
    let looks: Int
  }

  var seen: Seen { Seen(asks: backend.asks, timers: steps.timerCount, looks: steps.looks) }

  /// Adds a step to the history of the one that took it.
  func note(_ step: Step, since before: Seen) {
    let (after, owner) = (seen, steps.owner(of: step))
    let (hasAsked, hasLooked) = (after.asks > before.asks, after.looks != before.looks)
    guard let parent = steps.parent(of: owner), !scenario.pattern.isChunked else {
      for value in [step.id, steps.cause] { noteShared(value) }
      // Others do not know what time it is.
      if hasLooked { noteShared(steps.clock()) }
      return
    }
    let index = history(of: owner, in: parent)
    histories[index].hasEnded = false
    histories[index].steps.add(steps.cause)
    if hasLooked { histories[index].steps.add(steps.clock()) }
    histories[index].steps.add(hasAsked ? backend.calls.last?.ledgerIndex ?? -2 : -1)
    switch steps.wasCancelled {
    case let flag?: histories[index].steps.add(flag)
    case nil:
      histories[index].steps.add(isCancelled)
      histories[index].steps.add(backend.reasonCount)
    }
    // One that waits for nothing, neither an answer nor the clock nor a child, has ended.
    guard steps.endsAreSeen, !hasAsked, after.timers <= before.timers, !steps.hasMadeTask,
      !histories.contains(where: { !$0.hasEnded && $0.parent == owner }),
      !steps.ready.contains(where: { steps.parent(of: $0.lane) == owner })
    else { return }
    histories[index].hasEnded = true
    let above = history(of: parent, in: steps.parent(of: parent) ?? 0)
    histories[above].steps.add(owner)
    histories[above].steps.add(histories[index].steps.value)
  }

  /// What several share that do not tell what they touch is as the order of all such steps has made it.
  func noteShared(_ value: UInt64) { histories[history(of: 0, in: 0)].steps.add(value) }

  private func history(of owner: UInt64, in parent: UInt64) -> Int {
    if let index = histories.firstIndex(where: { $0.owner == owner }) { return index }
    histories.append(History(owner: owner, parent: parent))
    return histories.count - 1
  }
}
