import Dispatch
import RuntimeSupport
import Synchronization

typealias WorkerPointer = UnsafeMutablePointer<Worker>

/// The queues of one thread of a pool, and whether the thread sleeps or must end.
struct Worker: ~Copyable {
  // Invariant: only the worker's thread touches `bound` and pushes to `ring`. `isAsleep` and `hasToEnd` are written under the
  // group's lock. The thread reads `hasToEnd` after the semaphore `alarm` has woken it.
  /// The ready coroutines that began on this worker and run only there, by priority. It is the first field, because Thread
  /// Sanitizer takes a change of any field for a change of the first, which only this thread touches.
  fileprivate var bound = (urgent: FiberQueue(), shared: FiberQueue(), background: FiberQueue())
  /// The worker's id for fibers and threads. Unique in the process.
  let id: UInt
  /// The newest fiber that another thread delivered, linked by `next` to older ones. `closed` once the worker has ended.
  fileprivate let inbox = Atomic<UInt>(0)
  let isAsleep = Atomic<Bool>(false)
  let alarm = DispatchSemaphore(value: 0)
  var hasToEnd = false
  private let apart = CacheLines()
  /// Jobs that any worker may take.
  let ring = JobRing()

  init(id: UInt) { self.id = id }

  fileprivate static let closed: UInt = 1
}

extension WorkerPointer {
  /// Delivers a ready coroutine that began on this worker. Other threads call this. Returns false if the worker has ended.
  func deliver(_ fiber: FiberPointer) -> Bool {
    var first = pointee.inbox.load(ordering: .relaxed)
    while first != Worker.closed {
      fiber.pointee.next = FiberPointer(bitPattern: first)
      let (exchanged, original) = pointee.inbox.weakCompareExchange(
        expected: first, desired: UInt(bitPattern: fiber), successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if exchanged { return true }
      first = original
    }
    return false
  }

  /// Whether fibers were delivered. Any thread may read it. Sequentially consistent, for workers that are about to sleep.
  var hasDeliveries: Bool { pointee.inbox.load(ordering: .sequentiallyConsistent) > Worker.closed }

  func append(_ fiber: FiberPointer) {
    switch fiber.pointee.lane {
    case .urgent: pointee.bound.urgent.append(fiber)
    case .shared: pointee.bound.shared.append(fiber)
    case .background: pointee.bound.background.append(fiber)
    }
  }

  func take(from lane: WorkerGroup.Lane) -> PoolJob? {
    let fiber =
      switch lane {
      case .urgent: pointee.bound.urgent.removeFirst()
      case .shared: pointee.bound.shared.removeFirst()
      case .background: pointee.bound.background.removeFirst()
      }
    return fiber.map { PoolJob(ReadyCoroutine(fiber: $0)) }
  }

  /// Moves the fibers that other threads delivered to the ends of this worker's queues.
  func collect() {
    if pointee.inbox.load(ordering: .relaxed) <= Worker.closed { return }
    var newest = FiberPointer(bitPattern: pointee.inbox.exchange(0, ordering: .acquiring))
    var oldest: FiberPointer?
    while let fiber = newest {
      newest = fiber.pointee.next
      fiber.pointee.next = oldest
      oldest = fiber
    }
    while let fiber = oldest {
      oldest = fiber.pointee.next
      append(fiber)
    }
  }

  /// Makes the worker reject all later deliveries. Returns false if a fiber was delivered that must run first.
  func close() -> Bool {
    pointee.inbox.compareExchange(expected: 0, desired: Worker.closed, ordering: .acquiringAndReleasing)
      .exchanged
  }
}

/// A pool's job: a coroutine, or a closure in a box if the lowest bit is 1.
struct PoolJob: @unchecked Sendable {
  // Invariant: `init` retains the box of a closure, and `run`, which is called once, releases it.
  fileprivate let word: UInt

  private final class Box: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  fileprivate init(word: UInt) { self.word = word }
  init(_ coroutine: ReadyCoroutine) { word = UInt(bitPattern: coroutine.fiber) }
  init(_ work: @escaping @Sendable () -> Void) {
    word = UInt(bitPattern: Unmanaged.passRetained(Box(work)).toOpaque()) | 1
  }

  func run() {
    if word & 1 == 0 { return ReadyCoroutine(fiber: FiberPointer(bitPattern: word)!).run() }
    Unmanaged<Box>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~1)!).takeRetainedValue().work()
  }
}

/// A worker's jobs, first in, first out. Only the worker adds jobs; all workers take them.
///
/// The bounded ring of Go's scheduler (`runqput`, `runqget` and `runqgrab` in its `runtime/proc.go`; D. Vyukov, "Scalable Go
/// Scheduler Design Doc", 2012). Only the worker writes `tail`; `head` moves by compare-and-exchange. A thief copies half of
/// the jobs before it exchanges `head`: if that succeeds, the jobs had not been overwritten. A struct, because a worker would
/// retain a class instance before every job.
struct JobRing: ~Copyable, @unchecked Sendable {
  // Invariant: the slots from `head` to `tail` hold jobs, and only the worker writes the others. Both indices may wrap around.
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

  /// Whether the ring has no jobs. Any thread may read it. Sequentially consistent, for workers that are about to sleep.
  var isEmpty: Bool {
    head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .sequentiallyConsistent)
  }

  /// Adds a job. Returns false if the ring is full. Only the worker calls this.
  func push(_ job: PoolJob) -> Bool {
    let end = tail.load(ordering: .relaxed)
    guard end &- head.load(ordering: .acquiring) < Self.capacity else { return false }
    slot(end).pointee.store(job.word, ordering: .relaxed)
    keepRetainsAhead()
    tail.store(end &+ 1, ordering: .releasing)
    return true
  }

  /// Takes the oldest job. Only the worker calls this.
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

  /// Takes half of another ring's jobs and returns one of them. Only this ring's worker calls this, when its ring is empty.
  func steal(from victim: borrowing JobRing) -> PoolJob? {
    let end = tail.load(ordering: .relaxed)
    while true {
      let first = victim.head.load(ordering: .acquiring)
      let available = victim.tail.load(ordering: .acquiring) &- first
      let count = available - available / 2
      if count == 0 { return nil }
      // More than half the capacity: `head` changed between the two reads, so read both again.
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
