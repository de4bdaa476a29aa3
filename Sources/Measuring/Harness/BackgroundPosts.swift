import RawThreads
import Synchronization
import UploadScenario

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Low-priority posts (jobs of uploads) that are in flight while a measured post runs. Only one thread may use this type.
///
/// Each post has its own service, so that the contender, and not a busy server, decides which post ends first.
final class BackgroundPosts {
  private let bench: Bench
  private let ledgers: [Ledger]
  private let services: [any UploadService]
  private let clock: HarnessClock
  private let barrier = Barrier()
  private var runs: [PostInFlight<Parker>] = []
  private var handles: [any Cancellable] = []

  init(_ setup: UploadSetup, ahead last: Bench) throws {
    let scenario = last.scenario.ofOneAhead
    let bench = try setup.bench(for: scenario, Post(id: last.post.id, media: [last.post.media[0]]))
    let clock = setup.clock
    ledgers = (0..<last.scenario.behind).map { _ in Ledger(of: scenario, clock) }
    let barrier = barrier
    services = try setup.services(for: bench, ledgers).map { Self.hold($0, at: barrier) }
    (self.bench, self.clock) = (bench, clock)
  }

  private static func hold(_ service: some UploadService, at barrier: Barrier) -> any UploadService {
    BarrierService(base: service, barrier: barrier)
  }

  /// Starts all background posts. Until `release`, the first ones keep the contender's threads busy; the others wait.
  func start() {
    barrier.close()
    runs = []
    for (ledger, service) in zip(ledgers, services) {
      let run = PostInFlight(ledger: ledger, clock: clock, listener: Parker())
      handles.append(
        bench.contender.start(bench.scenario, post: bench.post, service: service, completion: run.open()))
      runs.append(run)
    }
  }

  func release() { barrier.open() }

  /// Waits until all posts have ended. Adds to the reply how many of them ended before `moment`, the end of the measured post.
  func end(endedBefore moment: UInt64, untilNanoseconds deadline: UInt64, into reply: inout SampleReply) {
    for run in runs {
      guard run.waitForCompletion(untilNanoseconds: deadline) else {
        return reply.fail(.timedOut, "a low-priority background post did not complete before its timeout")
      }
    }
    handles = []
    for run in runs {
      let remains = run.waitUntilQuiet(untilNanoseconds: deadline)
      if let fault = run.fault(bench.expectation, run.ledger.record()) {
        reply.fail(fault.outcome, "a low-priority background post: \(fault.reason)")
      } else if remains != nil {
        reply.fail(
          .wrong, "a low-priority background post has ended, but its requests or its completion still exist")
      }
    }
    reply.postsBefore = (reply.postsBefore ?? 0) + runs.count { ($0.ending?.nanoseconds ?? .max) < moment }
  }
}

extension Scenario {
  /// The scenario of one background post: a single low-priority upload without faults.
  fileprivate var ofOneAhead: Scenario {
    var one = self
    (one.photos, one.videos) = (1, 0)
    one.limit = nil
    one.faults = Faults()
    one.cancelAfter = nil
    one.priority = .low
    one.behind = 0
    return one
  }
}

/// A barrier that holds threads until it is opened. The threads stay busy, since a thread pool might replace blocked threads.
final class Barrier: Sendable {
  private let isOpen = Atomic<Bool>(true)
  /// The thread that closed the barrier and will open it. The barrier does not hold this thread.
  private let keeper = Mutex<pthread_t?>(nil)

  func close() {
    keeper.withLock { $0 = pthread_self() }
    isOpen.store(false, ordering: .releasing)
  }

  func open() { isOpen.store(true, ordering: .releasing) }

  func pass() {
    if isOpen.load(ordering: .acquiring) || keeper.withLock({ pthread_equal($0!, pthread_self()) != 0 }) {
      return
    }
    while !isOpen.load(ordering: .acquiring) { sched_yield() }
  }
}

private struct BarrierService<Base: UploadService>: UploadService {
  let base: Base
  let barrier: Barrier

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    base.perform(request, completion: completion)
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    base.createPost(post, receipts: receipts, completion: completion)
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try base.uploadBlocking(media) }

  func prepare(_ media: Media) throws -> PreparedMedia {
    barrier.pass()
    return try base.prepare(media)
  }

  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }
}
