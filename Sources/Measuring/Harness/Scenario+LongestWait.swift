import UploadScenario

extension Scenario {
  /// The same with one upload that nothing disturbs; nil where it has no such form.
  var ofOneUpload: Scenario? {
    guard mediaDirectory == nil, !pattern.looksUp else { return nil }
    var small = self
    (small.photos, small.videos) = (1, 0)
    if pattern.isChunked { small.payloadBytes = chunkBytes }
    small.faults = Faults()
    small.behind = 0
    small.cancelAfter = nil
    return small
  }

  /// The longest that the scenario's own waits may take, or its work for the processor: no contender hangs meanwhile.
  var longestWaitNanoseconds: UInt64 {
    let wait: Duration =
      switch pattern.requests {
      case .urlThenUpload: .nanoseconds(10 * preparePasses) * ((fanOut + behind) * payloadBytes)
      case .mirrors: hedgeDelay
      case .attempts:
        retry.deadline ?? ((retry.attemptDeadline ?? .zero) + retry.longestBackoff) * retry.attempts
      case .one: .zero
      }
    // A year is as good as no limit, and fits.
    return min(wait, .seconds(31_536_000)).unsignedNanoseconds
  }
}
