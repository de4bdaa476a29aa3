import Dispatch
import RuntimeSupport
import Synchronization

typealias WorkerPointer = UnsafeMutablePointer<Worker>

/// One thread of a pool: its own queues, and how it is woken.
struct Worker: ~Copyable {
  // Invariant: only its thread touches `bound`, and pushes to `ring`. `isAsleep` is written under the group's lock, and
  // `hasToEnd` there before `alarm` wakes the thread, which reads it after.
  /// Coroutines that have begun here and go on nowhere else, by lane. First, because Thread Sanitizer takes a change of any
  /// field for one of the first, which only this thread touches.
  fileprivate var bound = (urgent: FiberQueue(), shared: FiberQueue(), background: FiberQueue())
  /// Its id for fibers and threads, unique in the process.
  let id: UInt
  /// Fibers that other threads made ready, the last one first, linked by `next`; or `closed`.
  fileprivate let inbox = Atomic<UInt>(0)
  let isAsleep = Atomic<Bool>(false)
  let alarm = DispatchSemaphore(value: 0)
  var hasToEnd = false
  private let apart = CacheLines()
  /// Jobs that any worker may take.
  let ring = JobRing()

  init(id: UInt) { self.id = id }

  /// In place of a fiber's address, once the worker takes none any more.
  fileprivate static let closed: UInt = 1
}

extension WorkerPointer {
  /// Another thread delivers a claimed coroutine that has begun here. Returns false if the worker has ended.
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

  /// Any thread; sequentially consistent, for workers that are about to sleep.
  var hasDeliveries: Bool { pointee.inbox.load(ordering: .sequentiallyConsistent) > Worker.closed }

  // MARK: On its own thread

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

  /// Moves deliveries behind the fibers that are there.
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

  /// Accepts no more deliveries. Returns false if there is something left to do.
  func close() -> Bool {
    pointee.inbox.compareExchange(expected: 0, desired: Worker.closed, ordering: .acquiringAndReleasing)
      .exchanged
  }
}

/// A pool's job: a coroutine, or a closure in a box; the lowest bit says which.
struct PoolJob: @unchecked Sendable {
  // Invariant: a box is retained here and released by the one call of `run`.
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

/// The jobs of one worker, first in first out: only it adds, all take.
///
/// The bounded ring of Go's scheduler (`runqput`, `runqget` and `runqgrab` in its `runtime/proc.go`; D. Vyukov, "Scalable Go
/// Scheduler Design Doc", 2012). Only the worker writes `tail`; `head` moves by compare-and-exchange. A thief copies half of
/// the jobs before it exchanges: if that succeeds, they had not been overwritten.
///
/// Not an object: a worker looks at its own ring before every job and at the others' before it sleeps, and would retain them.
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

  /// Called by this ring's worker when it is empty: takes half of the victim's jobs and returns one of them.
  func steal(from victim: borrowing JobRing) -> PoolJob? {
    let end = tail.load(ordering: .relaxed)
    while true {
      let first = victim.head.load(ordering: .acquiring)
      let available = victim.tail.load(ordering: .acquiring) &- first
      let count = available - available / 2
      if count == 0 { return nil }
      // The two were read at different times.
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
