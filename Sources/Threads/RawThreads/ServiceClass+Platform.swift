import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// The scheduling class of the threads that complete requests of a simulated service: batch, if the system has it. A batch
/// thread that is woken does not take the processor from the thread that woke it; a normal thread sometimes does, which would
/// change measured times.
package enum ServiceClass {
  package static let threadName = "upload-service"
  // Linux's `SCHED_BATCH`, which is missing in Glibc's module.
  package static let batch: Int32 = 3
  private static let normal: Int32 = 0

  struct Threads {
    /// The service's threads.
    var own: Set<Int32> = []
    /// Other threads that `releaseHeirs` has checked.
    var known: Set<Int32> = []
  }

  static let threads = Mutex(Threads())

  /// Puts the calling thread into the class, unless its process was started in another one. Returns why not, or `nil`.
  @discardableResult package static func enter() -> String? {
    #if canImport(Glibc)
      guard sched_getscheduler(0) == normal else {
        return "the process was started in another scheduling class"
      }
      guard let number = OtherThreads.ownNumber else { return "/proc does not list the calling thread" }
      nameThread()
      var parameters = sched_param()
      guard sched_setscheduler(0, batch, &parameters) == 0 else { return String(cString: strerror(errno)) }
      threads.withLock { _ = $0.own.insert(number) }
      return nil
    #else
      return "this system has no batch scheduling class"
    #endif
  }

  /// Puts threads that inherited the batch class, for example one that a contender starts in a completion, back into the normal
  /// class. Each is changed only once, because a later change to batch is the thread's own.
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

  /// The class that threads get here: `batch`, or `normal` with the reason.
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
