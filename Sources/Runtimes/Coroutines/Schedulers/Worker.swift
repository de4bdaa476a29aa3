import Dispatch
import RuntimeSupport
import Synchronization

typealias WorkerPointer = UnsafeMutablePointer<Worker>

/// One thread of a pool: its own queues, and how it is woken.
struct Worker: ~Copyable {
  // Invariant: its thread alone touches `bound`, and pushes to `ring`. `isAsleep` is written under the group's lock, and
  // `hasToEnd` there before `alarm` wakes the thread, which reads it after.
  /// Coroutines that have begun here and go on nowhere else, by lane. The first, since its thread alone has it: Thread
  /// Sanitizer takes a change of any part for one of what lies first.
  fileprivate var bound = (urgent: FiberQueue(), shared: FiberQueue(), background: FiberQueue())
  /// Who it is to fibers and threads: no other worker there ever was has the same.
  let id: UInt
  /// Those that other threads made ready, the last one first, linked by `next`; or `closed`.
  fileprivate let inbox = Atomic<UInt>(0)
  let isAsleep = Atomic<Bool>(false)
  let alarm = DispatchSemaphore(value: 0)
  var hasToEnd = false
  private let apart = CacheLines()
  /// What any worker may take.
  let ring = JobRing()

  init(id: UInt) { self.id = id }

  /// In place of a fiber's address, once the worker takes none any more.
  fileprivate static let closed: UInt = 1
}

extension WorkerPointer {
  /// Another thread brings a claimed coroutine that has begun here. Returns false if the worker has ended.
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

  /// Puts what others delivered behind what is there.
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

  /// Takes no more from others. Returns false if there is something left to do.
  func close() -> Bool {
    pointee.inbox.compareExchange(expected: 0, desired: Worker.closed, ordering: .acquiringAndReleasing)
      .exchanged
  }
}
