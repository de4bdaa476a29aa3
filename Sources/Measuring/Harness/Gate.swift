import RawThreads
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Holds the threads that come to it until it is opened, and keeps them busy meanwhile, as work for the processor does: a
/// pool that saw them blocked might start others in their place.
final class Gate: Sendable {
  private let isOpen = Atomic<Bool>(true)
  /// Whoever closed it, and is to open it: it is never held.
  private let keeper = Mutex<pthread_t?>(nil)

  /// Holds whoever comes from now on, but for the calling thread.
  func close() {
    keeper.withLock { $0 = pthread_self() }
    isOpen.store(false, ordering: .releasing)
  }

  func open() { isOpen.store(true, ordering: .releasing) }

  /// Returns when the gate is open.
  func pass() {
    if isOpen.load(ordering: .acquiring) || keeper.withLock({ pthread_equal($0!, pthread_self()) != 0 }) {
      return
    }
    // The keeper may be waiting for this very processor.
    while !isOpen.load(ordering: .acquiring) { sched_yield() }
  }
}
