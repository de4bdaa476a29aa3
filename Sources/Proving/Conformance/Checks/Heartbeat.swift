import RawThreads
import Synchronization
import UploadScenario

extension PatternCheck {
  /// It beats as often as it is let, and no more often, even after one that lasted.
  func heartbeatBeats() {
    heartbeat(every: .milliseconds(1)) { trial in
      if !trial.wait({ $0.begun >= 48 }) { report(trial, promised: "48 beats") }
    }
    if kit.isFirstLook { return }
    // What does not beat need not be waited for again.
    for milliseconds in isKnown(.beats) ? [] : [0, 40] {
      // A thread that was kept from running makes up for it once, but not three times.
      for attempt in 1...3 {
        var quickest = UInt64.max
        heartbeat(every: .milliseconds(2), lasting: { $0 == 3 ? .milliseconds(milliseconds) : .zero }) {
          trial in
          trial.wait { $0.begun >= 20 }
          quickest = trial.state.quickest(12) ?? .max
          if attempt == 3, quickest < 16_000_000 {
            report(trial, promised: "12 beats in 24 ms, not in \(quickest / 1_000_000) ms")
          }
        }
        if quickest >= 16_000_000 { break }
      }
    }
    beatsAsOften()
  }

  /// Of many beats a few come in time, however busy the machine.
  private func beatsAsOften() {
    var quickest = UInt64.max
    for _ in 1...8 where !isKnown(.beats) && !isOver && quickest > 45_000_000 {
      heartbeat(every: .milliseconds(2)) { trial in
        // The first ones have been seen.
        trial.wait { ($0.quickest(6, from: 12) ?? .max) <= 45_000_000 || $0.begun >= 24 }
        quickest = min(quickest, trial.state.quickest(6, from: 12) ?? .max)
      }
    }
    if !isKnown(.beats), !isOver, quickest > 45_000_000 {
      report(
        Breach(
          .beats, seen: "6 beats in \(quickest / 1_000_000) ms at best",
          promised: "6 beats in 12 ms, or in 45 once"),
        scenario: "a heartbeat every 2 ms")
    }
  }

  func heartbeatDoesNotOverlap() {
    // Longer than the interval, so that the next beat is due. The first one lasts until the next has begun, or
    // cannot, however busy the machine.
    let (long, beats) = kit.isFirstLook ? (10, 6) : (40, 12)
    let lasting: @Sendable (Int) -> Duration = { .milliseconds($0 <= 3 ? long : 4) }
    heartbeat(every: .milliseconds(1), lasting: lasting, isFirstHeld: true) { trial in
      trial.awaitTheSecond()
      trial.wait { $0.begun >= beats || $0.most > 1 }
      if trial.state.most > 1 { report(trial, promised: "one at a time") }
    }
  }

  func heartbeatStops() {
    for beats in [1, 2, 12] {
      heartbeat(every: .milliseconds(1)) { trial in
        trial.wait { $0.begun >= beats }
        trial.cancel()
        // Either the beat is released, after which it cannot be called again, or it is called once too often, or it is held as
        // long as the handle.
        trial.wait(atMost: .milliseconds(100)) { $0.isReleased || $0.late > 1 }
        if trial.state.late > 1 { report(trial, promised: "at most one that was being called") }
      }
    }
    for number in 1...12 {
      heartbeat(every: .milliseconds(1), cancelledInside: number) { trial in
        guard trial.wait({ $0.isCancelled }) else { return }
        trial.dropHandle()
        trial.wait(atMost: .milliseconds(100)) { $0.isReleased || $0.late > 0 }
        if trial.state.late > 0 {
          report(trial, promised: "none after beat \(number), inside which it was cancelled")
        }
      }
    }
    stopsInACrowd()
    // One that lasts is the one that was being called: none follows it.
    heartbeat(every: .milliseconds(1), lasting: { _ in .milliseconds(6) }) { trial in
      trial.wait { $0.begun >= 2 && $0.now == 1 }
      trial.cancel(whileOneLasts: true)
      trial.wait(atMost: .milliseconds(100)) { $0.isReleased || $0.late > 0 }
      if trial.state.late > 0 { report(trial, promised: "none after the one that lasted") }
    }
  }

  /// More beats are due than there are threads for: those that wait for one when they are cancelled do not come.
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
      // Some may have been being called.
      let late = trials.count { $0.state.late > 0 }
      if late <= trials.count / 2 || isOver { return }
      if attempt == 3 {
        report(trials[0], promised: "none of those that waited for a thread, not \(late) of 16")
      }
    }
  }

  func heartbeatLeavesNothing() {
    for interval in [Duration.seconds(3600), .milliseconds(1)] {
      heartbeat(every: interval) { trial in
        trial.cancel()
        trial.dropHandle()
        // A timer that goes on firing never lets all threads sleep.
        if !trial.wait(atMost: .seconds(3), { $0.isReleased }) {
          report(trial, promised: "what is called released, with a beat every \(interval.text)")
        }
      }
    }
  }

  private func report(_ trial: HeartbeatTrial, promised: String) {
    patience.hung()
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

/// A heartbeat under observation.
private final class HeartbeatTrial: Sendable {
  struct State {
    /// How many beats have begun, how many last, and the most that did at once.
    var (begun, now, most) = (0, 0, 0)
    var isCancelled = false
    /// How many began after `cancel` had returned.
    var late = 0
    /// Nothing can call the beat any more.
    var isReleased = false
    /// When each began.
    var times: [UInt64] = []

    /// The least time in which so many began; nil: there were not so many.
    func quickest(_ count: Int, from first: Int = 0) -> UInt64? {
      times.indices.dropFirst(first + count).map { times[$0] - times[$0 - count] }.min()
    }
  }

  private let mutex = Mutex(State())
  private let parker = Parker()
  /// Keeps the first beat from its end.
  private let hold = Parker()
  private let handle = HandleBox()
  private let patience: Patience

  /// - Parameters:
  ///   - lasting: how long a beat takes, by its number from 1.
  ///   - isFirstHeld: whether the first one takes longer, until ``awaitTheSecond()`` has returned.
  ///   - number: the beat that cancels it, or the first after that which has the handle.
  init(
    _ check: PatternCheck, every interval: Duration, lasting: @escaping @Sendable (Int) -> Duration,
    isFirstHeld: Bool = false, cancelledInside number: Int = .max
  ) {
    patience = check.patience
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

  /// - Parameter whileOneLasts: whether beats count as late only if one was being called before and after.
  func cancel(whileOneLasts: Bool = false) {
    let begun = state.begun
    handle.cancel()
    change { state in state.isCancelled = !whileOneLasts || state.now == 1 && state.begun == begun }
  }

  func dropHandle() { handle.clear() }

  /// Holds the first beat until there is another one beside it, or none is about to begin: twice every other thread has slept for
  /// three looks, and Dispatch has come to all that it was given before; four seconds at most.
  func awaitTheSecond() {
    defer { hold.unpark() }
    guard wait({ $0.begun >= 1 }) else { return }
    let end = MonotonicClock.nanoseconds() + 4_000_000_000
    for _ in 1...2 {
      var (looks, probe) = (0, DispatchProbe?.none)
      while state.most == 1, looks < 3 || !(probe?.isThrough ?? false), MonotonicClock.nanoseconds() < end {
        // Where it cannot be seen, some looks must do.
        looks = OtherThreads.allSleep ?? true ? looks + 1 : 0
        if looks == 3, probe == nil { probe = DispatchProbe() }
        parker.park(untilNanoseconds: MonotonicClock.nanoseconds() + Idleness.lookNanoseconds)
      }
    }
  }

  /// Waits until something holds; false: the wait has timed out.
  @discardableResult
  func wait(atMost time: Duration = .seconds(3600), _ condition: (State) -> Bool) -> Bool {
    var watch = patience.watch(timer: .milliseconds(100))
    let end = MonotonicClock.nanoseconds() + time.unsignedNanoseconds
    while !condition(state) {
      if !watch.wait(on: parker, untilNanoseconds: end) { return condition(state) }
    }
    return true
  }
}
