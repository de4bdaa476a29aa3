import RuntimeSupport
import Synchronization

/// A lock that is held for a handful of instructions, and never while unknown code runs. It does not identify threads, unlike
/// `Mutex`, whose thread id the compiler may keep across a switch.
@usableFromInline struct CoLock: ~Copyable, Sendable {
  @usableFromInline let isLocked = Atomic<Bool>(false)

  @inlinable init() {}

  @inlinable @inline(__always) borrowing func lock() {
    if !isLocked.exchange(true, ordering: .acquiring) { return }
    wait()
  }

  @inlinable @inline(__always) borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }

  @inlinable @inline(__always) borrowing func unlock() {
    // The next holder of the lock may free what was retained under it.
    keepRetainsAhead()
    isLocked.store(false, ordering: .releasing)
  }

  @usableFromInline @inline(never) borrowing func wait() {
    var rounds = 0
    while isLocked.load(ordering: .relaxed) || isLocked.exchange(true, ordering: .acquiring) {
      rounds += 1
      // The holder has lost its processor: yield to it. Later sleep, because the holder may have a lower priority.
      if rounds > 2_000 { sleepProcessor(microseconds: 50) } else if rounds > 100 { yieldProcessor() }
    }
  }
}
