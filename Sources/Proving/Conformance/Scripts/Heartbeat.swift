import RawThreads
import Synchronization
import UploadScenario

extension Rule {
  static let beats = Rule(
    "beats", "A heartbeat beats until it is cancelled.", in: [.blocking], isSpecial: true)
  static let beatsDoNotOverlap = Rule(
    "beats-do-not-overlap", "No beat begins while another one lasts.", in: [.blocking], isSpecial: true)
  static let beatsStop = Rule(
    "beats-stop", "No beat begins once cancel has returned, but for one that is being called.",
    in: [.blocking],
    isSpecial: true)
  static let beatsLeaveNothing = Rule(
    "beats-leave-nothing",
    "A cancelled heartbeat lets go of what it called, with its handle at the latest, whatever its interval.",
    in: [.blocking], isSpecial: true)
}

extension Script {
  static let heartbeat: [Script] = [
    Script(.beats) { examination in
      examination.heartbeat(every: .milliseconds(1)) { trial in
        if !trial.wait(examination.giveUpNanoseconds, { $0.begun >= 4 }) { trial.report(.beats, "4 beats") }
      }
    },
    Script(.beatsDoNotOverlap) { examination in
      // Longer than the interval, so that the next beat is due.
      examination.heartbeat(every: .milliseconds(1), lastingNanoseconds: 4_000_000) { trial in
        _ = trial.wait(examination.giveUpNanoseconds) { $0.begun >= 4 || $0.most > 1 }
        if trial.read({ $0.most > 1 }) { trial.report(.beatsDoNotOverlap, "one at a time") }
      }
    },
    Script(.beatsStop) { examination in
      examination.heartbeat(every: .milliseconds(1)) { trial in
        _ = trial.wait(examination.giveUpNanoseconds) { $0.begun >= 2 }
        trial.cancel()
        // Gone, so that it can beat no more; or still beating.
        _ = trial.wait(examination.giveUpNanoseconds) { $0.isGone || $0.late > 1 }
        if trial.read({ $0.late > 1 }) { trial.report(.beatsStop, "at most one that was being called") }
      }
    },
    Script(.beatsLeaveNothing) { examination in
      for interval in [Duration.milliseconds(1), .seconds(3600)] {
        examination.heartbeat(every: interval) { trial in
          trial.cancel()
          trial.dropHandle()
          if !trial.wait(examination.giveUpNanoseconds, { $0.isGone }) {
            trial.report(.beatsLeaveNothing, "what is called let go, interval \(interval)")
          }
        }
      }
    },
  ]
}

extension Examination {
  fileprivate func heartbeat(
    every interval: Duration, lastingNanoseconds: UInt64 = 0, _ script: (HeartbeatTrial) -> Void
  ) {
    guard !isOver else { return }
    let trial = HeartbeatTrial(self)
    trial.start(every: interval, lastingNanoseconds: lastingNanoseconds)
    script(trial)
    trial.cancel()
  }
}

/// A heartbeat under observation.
private final class HeartbeatTrial {
  struct State {
    var begun = 0
    var now = 0
    var most = 0
    var isCancelled = false
    /// How many began after `cancel` had returned.
    var late = 0
    var isGone = false
  }

  /// What beats and the script share.
  final class Pulse: Sendable {
    let state = Mutex(State())
    let parker = Parker()

    func change(_ body: (inout State) -> Void) {
      state.withLock { body(&$0) }
      parker.unpark()
    }
  }

  /// Captured by the beat.
  final class BeatToken: Sendable {
    let pulse: Pulse
    init(_ pulse: Pulse) { self.pulse = pulse }
    deinit { pulse.change { $0.isGone = true } }
  }

  private let examination: Examination
  private let pulse = Pulse()
  private var handle: (any Cancellable)?

  init(_ examination: Examination) { self.examination = examination }

  func start(every interval: Duration, lastingNanoseconds: UInt64) {
    let token = BeatToken(pulse)
    handle = examination.contender.heartbeat(every: interval) {
      let pulse = token.pulse
      pulse.change {
        $0.begun += 1
        $0.now += 1
        $0.most = max($0.most, $0.now)
        if $0.isCancelled { $0.late += 1 }
      }
      if lastingNanoseconds > 0 {
        Parker().park(untilNanoseconds: MonotonicClock.nanoseconds() + lastingNanoseconds)
      }
      pulse.change { $0.now -= 1 }
    }
  }

  func cancel() {
    handle?.cancel()
    pulse.change { $0.isCancelled = true }
  }

  func dropHandle() { handle = nil }

  func read<Value: Sendable>(_ body: (State) -> Value) -> Value { pulse.state.withLock { body($0) } }

  func wait(_ deadline: UInt64, _ condition: (State) -> Bool) -> Bool {
    while !read(condition) {
      if !pulse.parker.park(untilNanoseconds: deadline) { return read(condition) }
    }
    return true
  }

  func report(_ rule: Rule, _ promised: String) {
    let state = read { $0 }
    examination.losePatience()
    examination.report(
      rule, scenario: "a heartbeat", seed: examination.seed,
      seen: "\(state.begun) beats, at most \(state.most) at once, \(state.late) after the cancellation",
      promised: promised)
  }
}
