/// How long something has lasted, whatever becomes of the calendar meanwhile.
struct Stopwatch {
  private let start = ContinuousClock.now

  var seconds: Double { start.duration(to: .now) / .seconds(1) }
}
