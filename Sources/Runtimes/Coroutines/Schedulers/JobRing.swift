import RuntimeSupport
import Synchronization

/// What a pool runs: a coroutine, a closure in a box, or a job of a Swift task; the lowest two bits say which.
struct PoolJob: @unchecked Sendable {
  // Invariant: a box is retained here and released by the one call of `run`. A task that has a job keeps itself.
  fileprivate let word: UInt

  private final class Box: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  fileprivate init(word: UInt) { self.word = word }
  init(_ coroutine: ReadyCoroutine) { word = UInt(bitPattern: coroutine.fiber) }
  // A job is one pointer to an object of the concurrency runtime, which aligns it to two words.
  init(_ job: UnownedJob) { word = unsafeBitCast(job, to: UInt.self) | 2 }
  init(_ work: @escaping @Sendable () -> Void) {
    word = UInt(bitPattern: Unmanaged.passRetained(Box(work)).toOpaque()) | 1
  }

  /// - Parameter executor: the pool, for the job of a task.
  func run(on executor: UnownedTaskExecutor? = nil) {
    switch word & 3 {
    case 0: ReadyCoroutine(fiber: FiberPointer(bitPattern: word)!).run()
    case 1: Unmanaged<Box>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~3)!).takeRetainedValue().work()
    default: unsafeBitCast(word & ~3, to: UnownedJob.self).runSynchronously(on: executor!)
    }
  }
}

/// The jobs of one worker, first in first out: it alone adds, all take.
///
/// The bounded ring of Go's scheduler (`runqput`, `runqget` and `runqgrab` in its `runtime/proc.go`; D. Vyukov, "Scalable
/// Go Scheduler Design Doc", 2012): `tail` is written by the worker only, `head` moves by compare-and-exchange, and a thief
/// copies half of the jobs before it exchanges, so that what it read cannot have been overwritten if that succeeds.
///
/// No object: a worker looks at its own ring before every job and at the others' before it sleeps, and would retain them.
struct JobRing: ~Copyable, @unchecked Sendable {
  // Invariant: slots [head, tail) hold jobs; the others are the worker's. Both only grow, and wrap together.
  static let capacity: UInt32 = 256
  private let head = Atomic<UInt32>(0)
  private let tail = Atomic<UInt32>(0)
  private let slots: UnsafeMutablePointer<Atomic<UInt>>

  init() {
    slots = .allocate(capacity: Int(Self.capacity))
    for index in 0..<Int(Self.capacity) { (slots + index).initialize(to: Atomic(0)) }
  }

  deinit {
    slots.deinitialize(count: Int(Self.capacity))
    slots.deallocate()
  }

  private func slot(_ position: UInt32) -> UnsafeMutablePointer<Atomic<UInt>> {
    slots + Int(position % Self.capacity)
  }

  /// Any thread; sequentially consistent, for workers that are about to sleep.
  var isEmpty: Bool {
    head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .sequentiallyConsistent)
  }

  /// The worker only. Returns false if it is full.
  func push(_ job: PoolJob) -> Bool {
    let end = tail.load(ordering: .relaxed)
    guard end &- head.load(ordering: .acquiring) < Self.capacity else { return false }
    slot(end).pointee.store(job.word, ordering: .relaxed)
    keepRetainsAhead()
    tail.store(end &+ 1, ordering: .releasing)
    return true
  }

  /// The worker only.
  func pop() -> PoolJob? {
    var first = head.load(ordering: .acquiring)
    while first != tail.load(ordering: .relaxed) {
      let word = slot(first).pointee.load(ordering: .relaxed)
      let (exchanged, original) = head.weakCompareExchange(
        expected: first, desired: first &+ 1, successOrdering: .acquiringAndReleasing,
        failureOrdering: .acquiring)
      if exchanged { return PoolJob(word: word) }
      first = original
    }
    return nil
  }

  /// The worker of this ring, which is empty: takes half of the victim's jobs and returns one of them.
  func steal(from victim: borrowing JobRing) -> PoolJob? {
    let end = tail.load(ordering: .relaxed)
    while true {
      let first = victim.head.load(ordering: .acquiring)
      let available = victim.tail.load(ordering: .acquiring) &- first
      let count = available - available / 2
      if count == 0 { return nil }
      // The two were read apart.
      if count > Self.capacity / 2 { continue }
      for index in 0..<count {
        let word = victim.slot(first &+ index).pointee.load(ordering: .relaxed)
        slot(end &+ index).pointee.store(word, ordering: .relaxed)
      }
      let (exchanged, _) = victim.head.compareExchange(
        expected: first, desired: first &+ count, ordering: .acquiringAndReleasing)
      guard exchanged else { continue }
      let job = PoolJob(word: slot(end &+ count &- 1).pointee.load(ordering: .relaxed))
      if count > 1 { tail.store(end &+ count &- 1, ordering: .releasing) }
      return job
    }
  }
}
