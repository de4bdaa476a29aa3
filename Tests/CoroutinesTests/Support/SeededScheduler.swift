import Coroutines
import Synchronization

/// Runs coroutines on the thread of the test, in an order that only the seed decides: one interleaving for each seed.
final class SeededScheduler: CoroutineScheduler {
  private struct State {
    var ready: [@Sendable () -> Void] = []
    var random: SeededGenerator
  }
  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

  func schedule(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.ready.append(work) } }

  /// Runs until nothing is ready: everybody has finished, or waits for something that is not there.
  func run() { while runOne() {} }

  /// Runs one that is ready, to its next suspension. Returns whether there was one.
  @discardableResult func runOne() -> Bool {
    let work = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.ready.isEmpty else { return nil }
      return state.ready.remove(at: Int.random(in: state.ready.indices, using: &state.random))
    }
    work?()
    return work != nil
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers everywhere.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
