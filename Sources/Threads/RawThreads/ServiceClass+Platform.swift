import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// The scheduling class of the threads that answer for a simulated service: batch, where the system has it.
///
/// A woken batch thread does not take the processor from the thread that woke it. In the normal class the kernel lets it do so
/// for some callers and not for others, which would be part of their times.
package enum ServiceClass {
  /// The name that the system has for a thread in the class.
  package static let threadName = "upload-service"
  // From the kernel's interface, which Glibc's module leaves out.
  package static let batch: Int32 = 3
  private static let normal: Int32 = 0

  struct Threads {
    /// Those in the class.
    var own: Set<Int32> = []
    /// All others that have been looked at.
    var known: Set<Int32> = []
  }

  static let threads = Mutex(Threads())

  /// Puts the calling thread into the class. Returns the reason if it cannot, as a clause; nil: it is in it.
  ///
  /// A thread in another class than the normal one stays there: its process was started in it.
  @discardableResult package static func enter() -> String? {
    #if canImport(Glibc)
      guard sched_getscheduler(0) == normal else { return "the process has a class of its own" }
      guard let number = OtherThreads.ownNumber else { return "threads have no numbers here" }
      nameThread()
      var parameters = sched_param()
      guard sched_setscheduler(0, batch, &parameters) == 0 else { return String(cString: strerror(errno)) }
      threads.withLock { _ = $0.own.insert(number) }
      return nil
    #else
      return "this system has no such class"
    #endif
  }

  /// Puts threads that inherited batch back into the normal class, such as those that a contender starts in a completion.
  ///
  /// Each thread once: a later entry is the thread's own.
  package static func releaseHeirs() {
    #if canImport(Glibc)
      threads.withLock { threads in
        guard !threads.own.isEmpty else { return }
        let all = Set(ProcFolder.numbers(in: "/proc/self/task"))
        threads.own.formIntersection(all)
        threads.known.formIntersection(all)
        for thread in all.subtracting(threads.own).subtracting(threads.known) {
          threads.known.insert(thread)
          var parameters = sched_param()
          if sched_getscheduler(thread) == batch { sched_setscheduler(thread, normal, &parameters) }
        }
      }
    #endif
  }

  /// The class for a record: `batch`, or why not.
  package static func attempt() -> String {
    let answer = PendingAnswer<String>()
    _ = RawThread(name: "service class") { answer.give(enter().map { "normal: \($0)" } ?? "batch") }
    return answer.wait()
  }

  #if canImport(Glibc)
    private static func nameThread() {
      let file = open("/proc/thread-self/comm", O_WRONLY)
      guard file >= 0 else { return }
      _ = threadName.withCString { write(file, $0, strlen($0)) }
      close(file)
    }
  #endif
}
