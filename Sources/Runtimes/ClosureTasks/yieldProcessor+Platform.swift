#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Lets another thread run, one that is about to make what the caller waits for true.
func yieldProcessor() {
  _ = sched_yield()
}
