import Conformance
import Exploration

/// The observable state of a run: the service and the model, the ready steps, pending timers, and each task's history.
extension ScheduledRun {
  /// A hash of the steps of one task or coroutine. If `owner` is 0, a hash of all steps that affect shared state.
  struct History {
    let owner: UInt64
    let parent: UInt64
    /// Whether the task has ended. If so, only its parent can observe it, and the parent's history includes this history.
    var hasEnded = false
    var steps = StateHash()
  }

  /// A hash of the state. `nil` for contenders that continue inside the service's call, since their state is unknown.
  var state: UInt64? {
    guard !steps.areInline else { return nil }
    var hash = StateHash()
    hash.add(backend.stateHash)
    hash.add(steps.stateHash)
    hash.add(steps.clock())
    hash.add(failures)
    hash.add(refused ?? -1)
    hash.add(isCancelled, hasClockMoved)
    // The hashes of histories are added, so that the order of their creation does not matter.
    var sum: UInt64 = 0
    for history in histories where !history.hasEnded {
      var hash = history.steps
      hash.add(history.owner)
      sum &+= hash.value
    }
    hash.add(sum)
    return hash.value
  }

  struct Seen {
    let asks: Int
    let timers: Int
    let looks: Int
  }

  var seen: Seen { Seen(asks: backend.asks, timers: steps.timerCount, looks: steps.looks) }

  func note(_ step: Step, since before: Seen) {
    let (after, owner) = (seen, steps.owner(of: step))
    let (hasAsked, hasLooked) = (after.asks > before.asks, after.looks != before.looks)
    guard let parent = steps.parent(of: owner), !scenario.pattern.isChunked else {
      for value in [step.id, steps.cause] { noteShared(value) }
      // The time is a part of the history only if the step read the clock. Other steps do not depend on the time.
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
    // A task without a pending answer, timer or child task has ended.
    guard steps.endsAreSeen, !hasAsked, after.timers <= before.timers, !steps.hasMadeTask,
      !histories.contains(where: { !$0.hasEnded && $0.parent == owner }),
      !steps.ready.contains(where: { steps.parent(of: $0.lane) == owner })
    else { return }
    histories[index].hasEnded = true
    let above = history(of: parent, in: steps.parent(of: parent) ?? 0)
    histories[above].steps.add(owner)
    histories[above].steps.add(histories[index].steps.value)
  }

  /// Records a step with unknown effects in the history of shared state, in which the order of all steps counts.
  func noteShared(_ value: UInt64) { histories[history(of: 0, in: 0)].steps.add(value) }

  private func history(of owner: UInt64, in parent: UInt64) -> Int {
    if let index = histories.firstIndex(where: { $0.owner == owner }) { return index }
    histories.append(History(owner: owner, parent: parent))
    return histories.count - 1
  }
}
