import RuntimeSupport
import Synchronization

/// A spin lock, held for a few instructions only. A `Mutex` stores a thread id, which the compiler may keep across a switch of
/// stacks, so that the coroutine would use the id of another thread.
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
    // Without this call, the compiler could move a retain after the unlock, and another thread could free the object first.
    keepRetainsAhead()
    isLocked.store(false, ordering: .releasing)
  }

  @usableFromInline @inline(never) borrowing func wait() {
    var rounds = 0
    while isLocked.load(ordering: .relaxed) || isLocked.exchange(true, ordering: .acquiring) {
      rounds += 1
      // The lock's holder was probably preempted, so yield. Sleep later, in case the holder has a lower priority.
      if rounds > 2_000 { sleepProcessor(microseconds: 50) } else if rounds > 100 { yieldProcessor() }
    }
  }
}
