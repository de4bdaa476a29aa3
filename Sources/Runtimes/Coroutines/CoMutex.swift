import CContextSwitch
import RuntimeSupport
import Synchronization

/// A value that one coroutine or thread touches at a time, for a moment: `Mutex`, where coroutines change threads.
///
/// `Mutex` knows its holder by the thread's id. In an optimised build the compiler may look up where that is before a suspension and
/// read it after, on another thread, which ends the process; the module's page says on which schedulers. This one asks
/// each time, which takes some nanoseconds more. It is no place to wait: whoever finds it held spins, and then sleeps for
/// moments. Suspending inside of `withLock`, or locking it again there, ends the process with a message.
public struct CoMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Invariant: `value` is allocated in init, freed in deinit, and touched in between by whom `holder` names.
  @usableFromInline let value: UnsafeMutablePointer<Value>
  @usableFromInline let holder = MutexHolder()

  /// One with this value in it, which nobody holds.
  @inlinable public init(_ initialValue: consuming sending Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: initialValue)
  }

  @inlinable deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Waits until nobody holds it, and lets `body` touch the value. `body` must not suspend.
  @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    holder.lock()
    defer { holder.unlock() }
    return try body(&value.pointee)
  }
}

/// Who holds a `CoMutex`.
@usableFromInline struct MutexHolder: ~Copyable {
  /// The address of a fiber or, outside of coroutines, that of a thread's record and 1; 0: nobody.
  private let identity = Atomic<UInt>(0)

  @usableFromInline init() {}

  @usableFromInline borrowing func lock() {
    let thread = context_thread_current()
    let fiber = FiberPointer.running(on: thread)
    let own = fiber.map { UInt(bitPattern: $0) } ?? UInt(bitPattern: thread) | 1
    var wait = SpinWait()
    while true {
      let (exchanged, other) = identity.compareExchange(
        expected: 0, desired: own, successOrdering: .acquiring, failureOrdering: .relaxed)
      if exchanged { break }
      if other == own { fatalError("a CoMutex is locked inside of its own withLock") }
      wait.pause()
    }
    fiber?.pointee.heldMutexCount += 1
  }

  @usableFromInline borrowing func unlock() {
    // Nothing suspends in between: the fiber is the one that locked it.
    let own = identity.load(ordering: .relaxed)
    if own & 1 == 0 { FiberPointer(bitPattern: own).unsafelyUnwrapped.pointee.heldMutexCount -= 1 }
    // The next holder may free what was retained under it.
    keepRetainsAhead()
    identity.store(0, ordering: .releasing)
  }
}

/// A lock for a handful of instructions. It knows nothing of threads, unlike `Mutex`, whose idea of the calling thread a
/// compiler may keep across a switch. Never held while anything unknown runs.
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
      // The holder has lost its processor: give it ours; sleep if that does not help (it may have a lower priority).
      if rounds > 2_000 { sleepProcessor(microseconds: 50) } else if rounds > 100 { yieldProcessor() }
    }
  }
}
