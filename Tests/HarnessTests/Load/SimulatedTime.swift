@testable import Harness
import Synchronization

/// Time that passes only while somebody sleeps; what is due meanwhile is done on the sleeper's thread, in order.
final class SimulatedTime: Sendable {
  private struct State {
    var now: UInt64 = 1_000_000
    var events: [(moment: UInt64, action: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  var now: UInt64 { state.withLock { $0.now } }

  var clock: HarnessClock {
    var clock = HarnessClock { self.now }
    clock.sleep = { moment, _ in self.pass(until: moment) }
    return clock
  }

  func at(_ moment: UInt64, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      let place = state.events.firstIndex { $0.moment > moment } ?? state.events.count
      state.events.insert((moment, action), at: place)
    }
  }

  func pass(until moment: UInt64) {
    while let action = state.withLock({ state -> (@Sendable () -> Void)? in
      guard let first = state.events.first, first.moment <= moment else {
        state.now = max(state.now, moment)
        return nil
      }
      state.now = max(state.now, first.moment)
      state.events.removeFirst()
      return first.action
    }) {
      action()
    }
  }
}
