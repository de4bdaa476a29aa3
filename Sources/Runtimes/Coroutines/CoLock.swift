import RuntimeSupport
import Synchronization

/// A spin lock that is held for a few instructions only, and never while code of callers runs. Unlike `Mutex`, it stores no
/// thread id, which the compiler could keep across a switch of stacks.
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
    // Without this, a retain could move behind the unlock, and the next holder of the lock could free the object before it.
    keepRetainsAhead()
    isLocked.store(false, ordering: .releasing)
  }

  @usableFromInline @inline(never) borrowing func wait() {
    var rounds = 0
    while isLocked.load(ordering: .relaxed) || isLocked.exchange(true, ordering: .acquiring) {
      rounds += 1
      // The holder has probably lost its processor, so yield. Sleep later, in case the holder has a lower priority.
      if rounds > 2_000 { sleepProcessor(microseconds: 50) } else if rounds > 100 { yieldProcessor() }
    }
  }
}
