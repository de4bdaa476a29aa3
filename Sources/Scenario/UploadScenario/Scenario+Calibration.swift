extension Scenario {
  /// The same with as many passes over a media file as take ``prepareTime`` on one processor of this machine, now.
  ///
  /// Takes some milliseconds. Throws `FileError`, if the media files cannot be read.
  public func calibrated(_ media: Media) throws -> Scenario {
    guard pattern.prepares, let prepareTime else { return self }
    let clock = ContinuousClock()
    func onePass(of count: Int) throws -> Duration {
      let start = clock.now
      _ = try PreparedMedia(media, passes: count)
      return start.duration(to: clock.now) / count
    }
    // So many at once that the clock's own time is nothing beside theirs. The shortest is the one that nothing interrupted.
    let first = try onePass(of: 3)
    let count = max(1, min(1_000, Int(.microseconds(200) / max(first, .nanoseconds(1)))))
    let shortest = try (0..<20).map { _ in try onePass(of: count) }.min() ?? first
    var scenario = self
    scenario.setPasses(
      nanoseconds: prepareTime.unsignedNanoseconds, onePass: Double(shortest.unsignedNanoseconds))
    return scenario
  }
}
