import UploadScenario

extension Scenario {
  /// The same with one upload that nothing disturbs; nil where it has no such form.
  var ofOneUpload: Scenario? {
    guard mediaDirectory == nil, !pattern.looksUp else { return nil }
    var small = self
    (small.photos, small.videos) = (1, 0)
    if pattern == .stream { small.payloadBytes = chunkBytes }
    small.faults = Faults()
    small.behind = 0
    small.cancelAfterNanoseconds = nil
    return small
  }

  /// The longest that the scenario's own waits may take, or its work for the processor: no contender hangs meanwhile.
  var longestWaitNanoseconds: UInt64 {
    let wait: Duration =
      switch pattern {
      case .presigned: .nanoseconds(10 * preparePasses) * ((fanOut + behind) * payloadBytes)
      case .race: hedgeDelay
      case .resilient:
        retry.deadline ?? ((retry.attemptDeadline ?? .zero) + retry.longestBackoff) * retry.attempts
      default: .zero
      }
    // A year is as good as for ever, and fits.
    return UInt64(max(0, min(wait / .nanoseconds(1), 31_536_000e9)))
  }
}
