import Foundation

/// When to give way to the other side's thread, before a wait that costs more than that.
///
/// A coroutine that waits is woken for one element, or for room for one; where both sides run on threads of their own,
/// they would wake each other for each. Given a moment the other side does many. A moment that brought nothing is paid
/// for: twice as many waits as the last time do without.
@usableFromInline struct ChannelPatience {
  /// The threads that sent and received last.
  @usableFromInline var sendingThread: UnsafeRawPointer?
  @usableFromInline var receivingThread: UnsafeRawPointer?
  private let isWorthwhile: Bool
  private var penalty: UInt8 = 0
  private var waitsToGo: UInt8 = 0

  @usableFromInline init(isWorthwhile: Bool) { self.isWorthwhile = isWorthwhile }

  /// Asked before a wait.
  @usableFromInline mutating func givesWay() -> Bool {
    guard isWorthwhile, let sendingThread, let receivingThread, sendingThread != receivingThread else {
      return false
    }
    if waitsToGo == 0 { return true }
    waitsToGo -= 1
    return false
  }

  /// Told after it gave way.
  @usableFromInline mutating func gaveWay(inVain: Bool) {
    penalty = inVain ? min(max(1, penalty &* 2), 64) : 0
    waitsToGo = penalty
  }

  /// Lets another thread of this processor run. Not under the lock.
  @usableFromInline static func giveWay() { sched_yield() }
}
