import CContextSwitch
import Synchronization

/// A future of whatever value: what can be waited for and cancelled.
public class AnyCoFuture: @unchecked Sendable {
  // Invariant: `waiters`, `fiber`, `isCancelRequested` are touched under `lock`. `scope` and the child links belong to
  // the scope. A subclass's result is written by one, before `isResolved` is set (releasing), and never after.
  private let lock = CoLock()
  @usableFromInline let resolution = Atomic<Bool>(false)
  @exclusivity(unchecked) private var waiters = WaiterList()
  @exclusivity(unchecked) private var isCancelRequested = false
  /// The fiber that runs it, if it is a coroutine that has started and not finished.
  @exclusivity(unchecked) private var fiber: FiberPointer?
  @exclusivity(unchecked) final var scope: CoScope?
  @exclusivity(unchecked) final var nextChild: AnyCoFuture?
  @exclusivity(unchecked) unowned(unsafe) final var previousChild: AnyCoFuture?

  // Invariant: a child of a `map` knows its group and scope without holding them, because counting references on two
  // threads at once is what it would spend most of its time with. The scope keeps the group, and `CoScope.run` the scope,
  // until the last child has left; a child touches neither after.
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) final var mapGroup: AnyMapGroup?
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) final var groupScope: CoScope?
  /// Its place in the group.
  @usableFromInline @exclusivity(unchecked) final var index = 0

  /// Why it failed, once it is resolved.
  @usableFromInline @exclusivity(unchecked) final var failure: (any Error)?
  /// What it does on its fiber, if it is a coroutine, until it has started. The subclass is generic, and the methods it
  /// overrides run unspecialised; a closure made where the type is known does not.
  @exclusivity(unchecked) private var body: (@Sendable (AnyCoFuture) -> Void)?

  @usableFromInline init(body: (@Sendable (AnyCoFuture) -> Void)?) { self.body = body }

  deinit {
    // Only callbacks can be left: a coroutine that waits holds the future.
    while let waiter = waiters.first {
      waiters.remove(waiter)
      waiter.deinitialize(count: 1)
      waiter.deallocate()
    }
  }

  /// Whether the result is there. Any thread.
  @inlinable public final var isResolved: Bool { resolution.load(ordering: .acquiring) }

  /// Asks for an end: a coroutine's awaits throw `CancellationError` from now on, and what has not started never
  /// does. Any thread, any number of times; does nothing once it is resolved.
  public final func cancel() {
    lock.lock()
    if isResolved || isCancelRequested {
      lock.unlock()
      return
    }
    isCancelRequested = true
    guard let fiber else {
      lock.unlock()
      fail(CancellationError())
      return
    }
    // The lock keeps the fiber from being reused meanwhile.
    let claim = fiber.requestCancellation()
    lock.unlock()
    if claim == .parked { fiber.makeReady() }
  }

  /// Waits for the result; inside a coroutine. Throws `CancellationError` if that coroutine is cancelled meanwhile.
  @usableFromInline final func wait() throws {
    let fiber = FiberPointer.current(for: "await")
    try fiber.checkCancellation()
    var waiter = Waiter()
    try withUnsafeMutablePointer(to: &waiter) { waiter in
      lock.lock()
      if isResolved {
        lock.unlock()
        return
      }
      waiter.pointee.coroutine = (fiber, fiber.open(flags: 0))
      waiters.append(waiter)
      lock.unlock()
      if fiber.park() {
        lock.lock()
        // Resolving empties the list, of waiters too that it could not claim.
        if !isResolved { waiters.remove(waiter) }
        lock.unlock()
        throw CancellationError()
      }
    }
  }

  /// Calls back once it is resolved: on this thread if it is already, else on the thread that resolves it.
  @usableFromInline final func whenResolved(_ callback: @escaping @Sendable (AnyCoFuture) -> Void) {
    lock.lock()
    if isResolved {
      lock.unlock()
      callback(self)
      return
    }
    let waiter = UnsafeMutablePointer<Waiter>.allocate(capacity: 1)
    waiter.initialize(to: Waiter(callback: callback))
    waiters.append(waiter)
    lock.unlock()
  }

  /// Writes a result unless there is one, and tells the waiters.
  @usableFromInline final func resolve(_ write: () -> Void) {
    lock.lock()
    if isResolved {
      lock.unlock()
      return
    }
    write()
    let claimed = resolveLocked()
    claimed.wake(for: self)
  }

  private func resolveLocked() -> WaiterList.Claimed {
    fiber = nil
    resolution.store(true, ordering: .releasing)
    let claimed = waiters.claimAll()
    lock.unlock()
    return claimed
  }

  private func fail(_ error: any Error) { resolve { failure = error } }

  // MARK: As a coroutine

  /// Runs on the fiber; leaves its result to be published. What the body captured is let go of here, on the coroutine.
  final func runBody() { body.take()!(self) }

  /// Starts it on a fiber: now, or when the scheduler gets to it.
  @usableFromInline final func start(
    on scheduler: (any CoroutineScheduler)?, name: String?, stackByteCount: Int?
  ) {
    let byteCount = stackByteCount.map(FiberPool.roundedStackByteCount) ?? FiberPool.standardStackByteCount
    if let scheduler {
      scheduler.schedule { self.launch(on: scheduler, name: name, stackByteCount: byteCount) }
    } else {
      launch(on: nil, name: name, stackByteCount: byteCount)
    }
  }

  private func launch(on scheduler: (any CoroutineScheduler)?, name: String?, stackByteCount: Int) {
    let thread = context_thread_current()
    let fiber = FiberPool.take(stackByteCount: stackByteCount, on: thread)
    lock.lock()
    if isCancelRequested {
      lock.unlock()
      FiberPool.giveBack(fiber, on: thread)
      body = nil
      fail(CancellationError())
      leaveScope()
      return
    }
    fiber.pointee.isCancelled.store(false, ordering: .relaxed)
    fiber.pointee.task = Unmanaged.passRetained(self)
    fiber.pointee.scheduler = scheduler
    self.fiber = fiber
    lock.unlock()
    if let name { fiber.setName(name) }
    fiber.drive()
  }

  /// Makes the finished coroutine's result known.
  final func publish() -> WaiterList.Claimed {
    if let failure { (groupScope ?? scope)?.fail(failure) }
    lock.lock()
    return resolveLocked()
  }

  final func leaveScope() {
    if let groupScope, let mapGroup {
      self.groupScope = nil
      groupScope.leave(mapGroup)
      return
    }
    guard let scope else { return }
    self.scope = nil
    scope.remove(self)
  }

  /// The hint of the fiber that runs it, as its regions and its own cancellation have it; on that fiber.
  final func restoreCancellation(of fiber: FiberPointer) {
    lock.lock()
    // First cleared, then set again: a region is marked before the hint is set, so one of the two stores comes last.
    fiber.pointee.isCancelled.store(false, ordering: .sequentiallyConsistent)
    if isCancelRequested || fiber.pointee.region?.isAnyCancelled() == true {
      fiber.pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    }
    lock.unlock()
  }
}
