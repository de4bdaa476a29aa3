#if os(Linux)
  import Glibc
  import TestSupport
  import Testing

  @testable import RawThreads

  @Suite(.ownThread) struct ServiceClassTests {
    @Test func `a service's thread is in the batch class, and threads it starts can leave it`() {
      let classes = PendingAnswer<(own: Int32, heir: Int32, released: Int32)>()
      _ = RawThread(name: "service") {
        guard ServiceClass.enter() == nil else { return classes.give((-1, -1, -1)) }
        let (before, after) = (PendingAnswer<Int32>(), PendingAnswer<Int32>())
        // Under the lock: a service of another test would release the heir before it has looked.
        let inherited = ServiceClass.threads.withLock { _ in
          _ = RawThread(name: "heir") {
            before.give(sched_getscheduler(0))
            ServiceClass.releaseHeirs()
            after.give(sched_getscheduler(0))
          }
          return before.wait()
        }
        classes.give((sched_getscheduler(0), inherited, after.wait()))
      }
      let seen = classes.wait()
      #expect(seen.own == seen.heir)
      // Where the class may not be set there is nothing to release.
      #expect(seen.own == -1 || seen.own == ServiceClass.batch && seen.released == 0)
    }

    @Test func `a thread that enters the batch class again stays in it`() {
      let classes = PendingAnswer<Int32>()
      _ = RawThread(name: "service") {
        guard ServiceClass.enter() == nil else { return classes.give(ServiceClass.batch) }
        let seen = PendingAnswer<Int32>()
        _ = RawThread(name: "other") {
          ServiceClass.releaseHeirs()
          var parameters = sched_param()
          sched_setscheduler(0, ServiceClass.batch, &parameters)
          ServiceClass.releaseHeirs()
          seen.give(sched_getscheduler(0))
        }
        classes.give(seen.wait())
      }
      #expect(classes.wait() == ServiceClass.batch)
    }
  }
#endif
