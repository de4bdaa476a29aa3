#if canImport(Darwin)
  import Darwin

  extension Parker {
    static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
      pthread_cond_init(condition, nil)
    }

    static func wait(
      _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
      untilNanoseconds deadline: UInt64
    ) {
      let now = MonotonicClock.nanoseconds()
      let left = deadline > now ? deadline - now : 0
      var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }
  }
#endif
