import Foundation
import RuntimeOperations

let channels: [RuntimeOperation: RuntimeContender.Implementation] = [
  .channelOneThread: summing { count, tally in
    let ring = LockedRing(capacity: 100)
    var sent = 0
    while sent < count {
      while sent < count, ring.offer(sent) { sent += 1 }
      while let value = ring.poll() { tally.add(value) }
    }
  },
  .channelTwoThreads: summing { count, tally in
    let ring = LockedRing(capacity: 100)
    Thread { for value in 0..<count { ring.send(value) } }.start()
    for _ in 0..<count { tally.add(ring.receive()) }
  },
]

/// The bounded queue that textbooks teach: a ring buffer with a lock and a condition variable.
private final class LockedRing: @unchecked Sendable {
  // Invariant: the ring is accessed only while `condition` is locked. One sender and one receiver never wait at the same time.
  private let condition = NSCondition()
  private var ring: [Int]
  private var first = 0
  private var count = 0

  init(capacity: Int) { ring = [Int](repeating: 0, count: capacity) }

  func offer(_ value: Int) -> Bool {
    condition.withLock {
      guard count < ring.count else { return false }
      append(value)
      return true
    }
  }

  func poll() -> Int? { condition.withLock { count > 0 ? removeFirst() : nil } }

  func send(_ value: Int) {
    let wasEmpty = condition.withLock {
      while count == ring.count { condition.wait() }
      append(value)
      return count == 1
    }
    // Signals after the unlock, so that the other thread does not wake only to wait for the lock.
    if wasEmpty { condition.signal() }
  }

  func receive() -> Int {
    let (value, wasFull) = condition.withLock {
      while count == 0 { condition.wait() }
      return (removeFirst(), count == ring.count - 1)
    }
    if wasFull { condition.signal() }
    return value
  }

  private func append(_ value: Int) {
    ring[(first + count) % ring.count] = value
    count += 1
  }

  private func removeFirst() -> Int {
    let value = ring[first]
    first = (first + 1) % ring.count
    count -= 1
    return value
  }
}
