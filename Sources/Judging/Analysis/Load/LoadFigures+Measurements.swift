import Results

extension LoadFigures {
  /// The figures of one or more windows together.
  init(of windows: [LoadMeasurement]) {
    self.init()
    let latencies = windows.together(\.latencies)
    let seconds = windows.reduce(0) { $0 + Double($1.windowNanoseconds + $1.backlogNanoseconds) } / 1e9
    if seconds > 0 { achievedPerSecond = Double(windows.reduce(0) { $0 + $1.completed }) / seconds }
    func percentile(_ percentile: TailPercentile) -> Int? { percentile.value(of: latencies).map { Int($0) } }
    p50Nanoseconds = percentile(.p50)
    p90Nanoseconds = percentile(.p90)
    p99Nanoseconds = percentile(.p99)
    p999Nanoseconds = percentile(.p999)
    p9999Nanoseconds = percentile(.p9999)
    maxNanoseconds = latencies.max.map { Int($0) }
    let lateness = windows.together(\.lateness)
    latenessP50Nanoseconds = lateness.percentile(0.5).map { Int($0) }
    latenessP99Nanoseconds = lateness.percentile(0.99).map { Int($0) }
    latenessMaxNanoseconds = lateness.max.map { Int($0) }
    heldUpP99Nanoseconds = windows.together(\.holdUps).percentile(0.99).map { Int($0) }
    setShares(windows)
  }

  /// Unknown as soon as one window's are.
  private mutating func setShares(_ windows: [LoadMeasurement]) {
    let busy = windows.compactMap(\.busyNanoseconds)
    let idle = windows.compactMap(\.idleNanoseconds)
    let steal = windows.compactMap(\.stealNanoseconds)
    guard busy.count == windows.count, idle.count == windows.count, steal.count == windows.count else {
      return
    }
    let (allBusy, allSteal) = (busy.reduce(0, +), steal.reduce(0, +))
    let capacity = Double(allBusy + idle.reduce(0, +) + allSteal)
    guard capacity > 0 else { return }
    let process = Double(windows.reduce(0) { $0 + $1.processNanoseconds })
    processShare = min(1, process / capacity)
    machineShare = Double(allBusy) / capacity
    // The kernel counts the two in different steps.
    othersShare = max(0, Double(allBusy) - process + Double(allSteal)) / capacity
  }
}

extension [LoadMeasurement] {
  func together(_ path: KeyPath<LoadMeasurement, LogHistogram>) -> LogHistogram {
    reduce(into: LogHistogram()) { $0.add($1[keyPath: path]) }
  }
}
