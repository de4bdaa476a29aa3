import RawThreads
import Synchronization
import UploadScenario

extension PatternCheck {
  func heartbeatBeats() {
    heartbeat(every: .milliseconds(1)) { trial in
      if !trial.wait({ $0.begun >= 48 }) { report(trial, promised: "48 beats") }
    }
    if kit.isFirstLook { return }
    for milliseconds in isKnown(.beats) ? [] : [0, 40] {
      // After a thread was descheduled, the heartbeat's calls may follow each other quickly, so only the third failure counts.
      for attempt in 1...3 {
        var quickest = UInt64.max
        heartbeat(every: .milliseconds(2), lasting: { $0 == 3 ? .milliseconds(milliseconds) : .zero }) {
          trial in
          trial.wait { $0.begun >= 20 }
          quickest = trial.state.quickest(12) ?? .max
          if attempt == 3, quickest < 16_000_000 {
            report(trial, promised: "at least 24 ms for 12 beats, not \(quickest / 1_000_000) ms")
          }
        }
        if quickest >= 16_000_000 { break }
      }
    }
    beatsAsOften()
  }

  /// Checks that the heartbeat calls its closure often enough. A busy machine delays some calls, so the fastest series counts.
  private func beatsAsOften() {
    var quickest = UInt64.max
    for _ in 1...8 where !isKnown(.beats) && !isOver && quickest > 45_000_000 {
      heartbeat(every: .milliseconds(2)) { trial in
        trial.wait { ($0.quickest(6, from: 12) ?? .max) <= 45_000_000 || $0.begun >= 24 }
        quickest = min(quickest, trial.state.quickest(6, from: 12) ?? .max)
      }
    }
    if !isKnown(.beats), !isOver, quickest > 45_000_000 {
      report(
        Breach(
          .beats, seen: "6 beats in \(quickest / 1_000_000) ms at best",
          promised: "6 beats in at most 45 ms, in one of 8 attempts"),
        scenario: "a heartbeat every 2 ms")
    }
  }

  func heartbeatDoesNotOverlap() {
    // Calls of the closure last longer than the interval. The first lasts until a second has begun or cannot begin.
    let (long, beats) = kit.isFirstLook ? (10, 6) : (40, 12)
    let lasting: @Sendable (Int) -> Duration = { .milliseconds($0 <= 3 ? long : 4) }
    heartbeat(every: .milliseconds(1), lasting: lasting, isFirstHeld: true) { trial in
      trial.awaitTheSecond()
      trial.wait { $0.begun >= beats || $0.most > 1 }
      if trial.state.most > 1 { report(trial, promised: "one beat at a time") }
    }
  }

  func heartbeatStops() {
    for beats in [1, 2, 12] {
      heartbeat(every: .milliseconds(1)) { trial in
        trial.wait { $0.begun >= beats }
        trial.cancel()
        // One call of the closure may be starting when `cancel` returns, so only a second one is a breach.
        trial.wait(atMost: .milliseconds(100)) { $0.isReleased || $0.late > 1 }
        if trial.state.late > 1 { report(trial, promised: "at most one beat after cancel()") }
      }
    }
    for number in 1...12 {
      heartbeat(every: .milliseconds(1), cancelledInside: number) { trial in
        guard trial.wait({ $0.isCancelled }) else { return }
        trial.dropHandle()
        trial.wait(atMost: .milliseconds(100)) { $0.isReleased || $0.late > 0 }
        if trial.state.late > 0 {
          report(trial, promised: "no beat after beat \(number), which cancelled the heartbeat")
        }
      }
    }
    stopsInACrowd()
    // After a cancellation during a call of the heartbeat's closure, no other call may follow.
    heartbeat(every: .milliseconds(1), lasting: { _ in .milliseconds(6) }) { trial in
      trial.wait { $0.begun >= 2 && $0.now == 1 }
      trial.cancel(whileOneLasts: true)
      trial.wait(atMost: .milliseconds(100)) { $0.isReleased || $0.late > 0 }
      if trial.state.late > 0 { report(trial, promised: "no beat after the cancellation") }
    }
  }

  /// Checks that calls of the closure that wait for a pool thread during the cancellation do not begin after the cancellation.
  private func stopsInACrowd() {
    for attempt in 1...3 {
      let trials = (0..<16).map { _ in
        HeartbeatTrial(self, every: .milliseconds(1), lasting: { _ in .milliseconds(1) })
      }
      let isBeating = trials[0].wait { $0.begun >= 3 }
      for trial in trials { trial.cancel() }
      if !isBeating { return }
      for trial in trials { trial.wait(atMost: .milliseconds(20)) { $0.isReleased || $0.late > 0 } }
      for trial in trials { trial.dropHandle() }
      // In some heartbeats, a call may be starting during the cancellation, but in at most half of them.
      let late = trials.count { $0.state.late > 0 }
      if late <= trials.count / 2 || isOver { return }
      if attempt == 3 {
        report(
          trials[0], promised: "no beat after cancel(), but \(late) of 16 concurrent heartbeats beat again")
      }
    }
  }

  func heartbeatLeavesNothing() {
    for interval in [Duration.seconds(3600), .milliseconds(1)] {
      heartbeat(every: interval) { trial in
        trial.cancel()
        trial.dropHandle()
        // A timer that keeps firing keeps threads awake, so it is not detected as a hang. So this wait needs its own timeout.
        if !trial.wait(atMost: .seconds(3), { $0.isReleased }) {
          report(
            trial,
            promised: "the release of the closure after cancel(), in a heartbeat every \(interval.text)")
        }
      }
    }
  }

  private func report(_ trial: HeartbeatTrial, promised: String) {
    hangDetector.hung()
    let state = trial.state
    let seen = "\(state.begun) beats, at most \(state.most) at once, \(state.late) after the cancellation"
    report(Breach(rule, seen: seen, promised: promised), scenario: "a heartbeat")
  }

  private func heartbeat(
    every interval: Duration, lasting: @escaping @Sendable (Int) -> Duration = { _ in .zero },
    isFirstHeld: Bool = false, cancelledInside number: Int = .max, _ script: (HeartbeatTrial) -> Void
  ) {
    guard !isOver else { return }
    let trial = HeartbeatTrial(
      self, every: interval, lasting: lasting, isFirstHeld: isFirstHeld, cancelledInside: number)
    script(trial)
    trial.cancel()
    trial.dropHandle()
  }
}

/// One heartbeat of the contender, with counts of its beats (the calls of its closure).
private final class HeartbeatTrial: Sendable {
  struct State {
    /// The number of beats that have begun, the number that are running, and the maximum that ran concurrently.
    var (begun, now, most) = (0, 0, 0)
    var isCancelled = false
    /// The number of beats that began after `cancel` had returned.
    var late = 0
    var isReleased = false
    /// The start time of each beat, in nanoseconds.
    var times: [UInt64] = []

    /// The shortest time, in nanoseconds, in which `count` beats began. `nil` if fewer began.
    func quickest(_ count: Int, from first: Int = 0) -> UInt64? {
      times.indices.dropFirst(first + count).map { times[$0] - times[$0 - count] }.min()
    }
  }

  private let mutex = Mutex(State())
  private let parker = Parker()
  private let hold = Parker()
  private let handle = HandleBox()
  private let hangDetector: HangDetector

  /// - Parameters:
  ///   - lasting: the duration of each beat, by its number from 1.
  ///   - isFirstHeld: whether the first beat lasts until ``awaitTheSecond()`` returns.
  ///   - number: the number of the beat that cancels the heartbeat. A later beat cancels if the handle does not exist yet.
  init(
    _ check: PatternCheck, every interval: Duration, lasting: @escaping @Sendable (Int) -> Duration,
    isFirstHeld: Bool = false, cancelledInside number: Int = .max
  ) {
    hangDetector = check.hangDetector
    let token = Token { self.change { $0.isReleased = true } }
    let handle = check.contender.heartbeat(every: interval) {
      defer { withExtendedLifetime(token) {} }
      let now = MonotonicClock.nanoseconds()
      let beat = self.change {
        $0.begun += 1
        $0.now += 1
        $0.most = max($0.most, $0.now)
        $0.times.append(now)
        if $0.isCancelled { $0.late += 1 }
        return $0.begun
      }
      if beat >= number, self.handle.isThere, !self.state.isCancelled {
        self.handle.cancel()
        self.change { $0.isCancelled = true }
      }
      let nanoseconds = lasting(beat).unsignedNanoseconds
      if nanoseconds > 0 { Parker().park(untilNanoseconds: now + nanoseconds) }
      if isFirstHeld, beat == 1 { self.hold.park() }
      self.change { $0.now -= 1 }
    }
    self.handle.set(handle)
  }

  var state: State { mutex.withLock { $0 } }

  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    defer { parker.unpark() }
    return mutex.withLock { body(&$0) }
  }

  /// - Parameter whileOneLasts: whether beats count as late only if one beat ran during the whole call of `handle.cancel()`.
  func cancel(whileOneLasts: Bool = false) {
    let begun = state.begun
    handle.cancel()
    change { state in state.isCancelled = !whileOneLasts || state.now == 1 && state.begun == begun }
  }

  func dropHandle() { handle.clear() }

  /// Keeps the first beat (call of the closure) running until a second one runs concurrently. Gives up when all other threads sleep
  /// and Dispatch's queues are empty, or after four seconds.
  func awaitTheSecond() {
    defer { hold.unpark() }
    guard wait({ $0.begun >= 1 }) else { return }
    let end = MonotonicClock.nanoseconds() + 4_000_000_000
    for _ in 1...2 {
      var (looks, probe) = (0, DispatchProbe?.none)
      while state.most == 1, looks < 3 || !(probe?.isThrough ?? false), MonotonicClock.nanoseconds() < end {
        // A platform that does not report whether threads sleep counts as if they slept.
        looks = OtherThreads.allSleep ?? true ? looks + 1 : 0
        if looks == 3, probe == nil { probe = DispatchProbe() }
        parker.park(untilNanoseconds: MonotonicClock.nanoseconds() + Idleness.lookNanoseconds)
      }
    }
  }

  @discardableResult
  func wait(atMost time: Duration = .seconds(3600), _ condition: (State) -> Bool) -> Bool {
    var watch = hangDetector.watch(timer: .milliseconds(100))
    let end = MonotonicClock.nanoseconds() + time.unsignedNanoseconds
    while !condition(state) {
      if !watch.wait(on: parker, untilNanoseconds: end) { return condition(state) }
    }
    return true
  }
}
