import Foundation

/// Lets two tests per processor run at once; the others await their turn, and hold no thread. The longest go first, so that none
/// is left to run alone at the end.
///
/// `@unchecked Sendable`: `free` and `waiting` are only touched under `lock`.
final class TurnQueue: @unchecked Sendable {
  static let shared = TurnQueue(turns: 2 * ProcessInfo.processInfo.activeProcessorCount)

  private let lock = NSLock()
  private var free: Int
  /// In the order in which they go on.
  private var waiting: [(minutes: Int, continuation: CheckedContinuation<Void, Never>)] = []

  private init(turns: Int) { free = turns }

  /// - Parameter minutes: the time limit.
  func begin(minutes: Int) async {
    await withCheckedContinuation { continuation in
      let mayBegin = lock.withLock {
        guard free == 0 else {
          free -= 1
          return true
        }
        let place = waiting.firstIndex { $0.minutes < minutes } ?? waiting.endIndex
        waiting.insert((minutes, continuation), at: place)
        return false
      }
      if mayBegin { continuation.resume() }
    }
  }

  func end() {
    let next: CheckedContinuation<Void, Never>? = lock.withLock {
      guard waiting.isEmpty else { return waiting.removeFirst().continuation }
      free += 1
      return nil
    }
    next?.resume()
  }
}
