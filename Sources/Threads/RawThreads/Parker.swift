#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A binary semaphore: lets one thread sleep until another wakes it, and keeps a wake that comes before the sleep. A condition
/// variable of the platform is used, so that a wait involves no thread pool or queue, since those are measured.
public final class Parker: @unchecked Sendable {
  // Invariant: `mutex` and `condition` live from init to deinit, when no thread can be in a call, because a caller holds a
  // reference. `isSignalled` is accessed only while `mutex` is locked.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isSignalled = false

  public init() {
    pthread_mutex_init(mutex, nil)
    Self.initialize(condition)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Wakes the sleeping thread, or makes the next `park` return immediately.
  public func unpark() {
    pthread_mutex_lock(mutex)
    isSignalled = true
    pthread_mutex_unlock(mutex)
    // The signal follows the unlock, or the thread would wake only to wait for the mutex.
    pthread_cond_signal(condition)
  }

  /// Sleeps until `unpark`. Returns false if the deadline of ``MonotonicClock`` came first. One thread at a time may park.
  @discardableResult public func park(untilNanoseconds deadlineNanoseconds: UInt64? = nil) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isSignalled {
      guard let deadlineNanoseconds else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      if MonotonicClock.nanoseconds() >= deadlineNanoseconds { return false }
      Self.wait(condition, mutex, untilNanoseconds: deadlineNanoseconds)
    }
    isSignalled = false
    return true
  }
}

extension Parker {
  #if canImport(Darwin)
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
      pthread_cond_init(condition, nil)
    }

    private static func wait(
      _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
      untilNanoseconds deadline: UInt64
    ) {
      let now = MonotonicClock.nanoseconds()
      let left = deadline > now ? deadline - now : 0
      var time = timespec(nanoseconds: left)
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }
  #else
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    private static func wait(
      _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
      untilNanoseconds deadline: UInt64
    ) {
      var time = timespec(nanoseconds: deadline)
      pthread_cond_timedwait(condition, mutex, &time)
    }
  #endif
}
