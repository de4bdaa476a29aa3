import Conformance
import Exploration

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
