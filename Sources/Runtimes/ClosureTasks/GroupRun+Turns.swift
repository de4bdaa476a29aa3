import Synchronization

extension GroupRun {
  /// Asks for that many starts, or for the clean-up if the group has failed or is cancelled.
  @inlinable
  func request(_ wanted: Int) {
    if requests.add(wanted, ordering: .acquiringAndReleasing).oldValue == 0 { takeTurns(wanted) }
  }

  @inlinable
  func takeTurns(_ wanted: Int) {
    var wanted = wanted
    repeat {
      var left = wanted
      while left > 0, !isClosed, !isDecided {
        startNext()
        left -= 1
      }
      if isDecided { cleanUp() }
      wanted = requests.subtract(wanted, ordering: .acquiringAndReleasing).newValue
    } while wanted > 0
  }

  @inlinable
  var isDecided: Bool { phase.load(ordering: .acquiring) != .open || whole.isEnded }

  @inlinable
  func startNext() {
    let index = startedCount
    let task: ClosureTask<Element>
    do { task = try makeTask(index) } catch { return conclude(.failure(error)) }
    startedCount = index + 1
    let part = TaskController<Element>(
      parent: Unmanaged.passUnretained(self), index: index, progress: progress?.makePart()
    ) { parent, index, result in
      let isLast = parent._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: GroupRun<Element, Output>.self).partEnded(index, result)
      }
      if isLast { parent.release() }
    }
    task.run(part)
    // Only the holder of the turn, which is this thread, cancels parts: there is no hurry to note it.
    if !part.isEnded { parts.append(part) }
    if startedCount == count { countPartsIn() }
  }

  /// Every part that was started counts from now on. The last to end ends the group, here if all have.
  @inlinable
  func countPartsIn() {
    guard !isClosed else { return }
    isClosed = true
    if running.add(startedCount, ordering: .acquiringAndReleasing).newValue == 0 {
      finish()
      // Whoever runs a turn has another reference.
      Unmanaged.passUnretained(self).release()
    }
  }

  /// What remains to be done once the outcome is decided.
  @usableFromInline
  func cleanUp() {
    if whole.isEnded { _ = enter(.cancelled) }
    let phase = phase.load(ordering: .acquiring)
    if phase == .concluded || phase == .cancelled, !hasCancelledParts {
      hasCancelledParts = true
      let parts = self.parts
      self.parts = []
      // What is in flight is cancelled before anybody learns of the outcome: the last part to end tells.
      if Nesting.enter() {
        for part in parts { part.cancel() }
        Nesting.leave()
      } else {
        Nesting.later { for part in parts { part.cancel() } }
      }
      countPartsIn()
    }
  }
}
