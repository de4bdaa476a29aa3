#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Lets another thread run.
package func yieldProcessor() {
  _ = sched_yield()
}

/// Lets other threads run for a while, whatever their priority.
package func sleepProcessor(microseconds: UInt32) {
  _ = usleep(microseconds)
}
