import CContextSwitch
import RuntimeSupport
import Synchronization

/// A future of any value: it can be waited for and cancelled.
public class AnyCoFuture: @unchecked Sendable {
  // Invariant: `waiters`, `fiber`, `isCancelRequested` are touched under `lock`. `group` and the child links belong to the
  // group. One thread writes a result, before `resolution` is set (releasing), and none does after.
  let lock = CoLock()
  @usableFromInline let resolution = Atomic<Bool>(false)
  @exclusivity(unchecked) final var isCancelRequested = false
  @exclusivity(unchecked) final var waiters = WaiterList()
  /// The future that its result comes from, if any, and its waiter there. Not retained: the source's producer holds it, and a
  /// source that is released unresolved fails this future.
  @exclusivity(unchecked) final weak var upstream: AnyCoFuture?
  @exclusivity(unchecked) final var upstreamWaiter: UnsafeMutablePointer<Waiter>?
  /// What the producer wants done on cancellation.
  @exclusivity(unchecked) final var cancelAction: (@Sendable () -> Void)?
  /// The fiber that runs it, if it is a coroutine that has started and not finished.
  @exclusivity(unchecked) private var fiber: FiberPointer?
  @exclusivity(unchecked) final var group: CoGroup?
  // These do not retain: the group holds one reference to each child that it lists.
  @exclusivity(unchecked) unowned(unsafe) final var nextChild: AnyCoFuture?
  @exclusivity(unchecked) unowned(unsafe) final var previousChild: AnyCoFuture?

  /// Why it failed, once it is resolved.
  @usableFromInline @exclusivity(unchecked) final var failure: (any Error)?
  /// The value, once it is resolved without a failure.
  @usableFromInline @exclusivity(unchecked) final var storage = Storage((0, 0, 0, 0))
  @usableFromInline typealias Storage = InlineStorage<(UInt, UInt, UInt, UInt)>
  @usableFromInline @exclusivity(unchecked) final var hasValue = false

  /// The operations on the value's type. A generic subclass's overrides would run unspecialised and look types up, which costs
  /// more than anything else here; this closure is made where the type is known, and captures nothing.
  private let operate: @Sendable (Operation, AnyCoFuture) -> Void

  @usableFromInline enum Operation {
    /// Does the work, on the coroutine.
    case run
    /// Releases the value.
    case destroyValue
  }

  @usableFromInline init(operate: @escaping @Sendable (Operation, AnyCoFuture) -> Void) {
    self.operate = operate
  }

  deinit {
    if hasValue { operate(.destroyValue, self) }
    // Only callbacks can be left: a coroutine that waits holds the future.
    if !waiters.isEmpty { waiters.claimAll().wake(for: Self.dropped) }
  }

  /// What the callbacks of a future receive that was released unresolved.
  private static let dropped: AnyCoFuture = {
    let future = AnyCoFuture { _, _ in }
    future.reject(CoroutineError.dropped)
    return future
  }()

  /// The value or the error of a resolved future.
  @inlinable @inline(__always) final func result<Value>(of type: Value.Type) -> Result<Value, any Error> {
    if let failure { return .failure(failure) }
    return .success(storage.load(as: type))
  }

  /// Whether the result is there. Any thread.
  @inlinable public final var isResolved: Bool { resolution.load(ordering: .acquiring) }

  /// Whether its result is a `CancellationError`.
  public final var isCanceled: Bool { isResolved && failure is CancellationError }

  /// Calls back once it is resolved, as `whenComplete` with the result.
  public final func whenComplete(_ callback: sending @escaping () -> Void) {
    // Called once.
    nonisolated(unsafe) let callback = callback
    whenResolved { _ in callback() }
  }

  /// Calls back once, if it is cancelled by `cancel()` before it is resolved: on the cancelling thread, at once if it is
  /// cancelled. Handlers are called in order, and do not count as waiters.
  public final func whenCanceled(_ callback: sending @escaping () -> Void) {
    // Called once.
    nonisolated(unsafe) let callback = callback
    setCancelHandler { callback() }
  }

  /// Requests an end: a coroutine's awaits throw `CancellationError` from now on, and one that has not started never does. Any
  /// other future fails at once, and cancels the future that it was made from if that has no other waiters (SwiftCoroutine
  /// cancels it in any case). Any thread, any number of times; does nothing once it is resolved.
  public final func cancel() { CancellationList.run { cancel(&$0) } }

  /// Cancels it and its chain of single upstream futures; leaves the rest to the list.
  final func cancel(_ list: inout CancellationList) {
    var future = self
    while let next = future.cancelAlone(&list) { future = next }
  }

  /// Returns the upstream future, if that is to be cancelled, too.
  private func cancelAlone(_ list: inout CancellationList) -> AnyCoFuture? {
    lock.lock()
    if isResolved || isCancelRequested {
      lock.unlock()
      return nil
    }
    isCancelRequested = true
    guard let fiber else {
      let (upstream, action) = takeUpstream()
      if upstream != nil { cancelAction = action }
      lock.unlock()
      // The upstream future ends before.
      if let upstream {
        list.push(.rejection(self))
        return upstream.withdraw()
      }
      endCancelled(action)
      return nil
    }
    // The lock keeps the fiber from being reused meanwhile.
    let claim = fiber.requestCancellation()
    let groups = fiber.pointee.lifeLock.withLock { fiber.groups }
    let (_, action) = takeUpstream()
    lock.unlock()
    if claim == .parked { fiber.makeReady() }
    list.push(groups)
    action?()
    return nil
  }

  /// Ends it, now that its upstream is cancelled.
  final func endCancelled() { endCancelled(lock.withLock { cancelAction.take() }) }

  /// Resolves it by a cancellation, and calls the handlers.
  private final func endCancelled(_ action: (@Sendable () -> Void)?) {
    reject(CancellationError())
    action?()
  }

  /// Waits for the result; inside a coroutine. Throws `CancellationError` if that coroutine is cancelled meanwhile.
  @usableFromInline final func wait() throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    // Inside a callback: the callbacks that wait for it to return may resolve this future.
    if let turn = fiber.pointee.callbackTurn { CallbackTurn.drain(turn) }
    var waiter = Waiter()
    try withUnsafeMutablePointer(to: &waiter) { waiter in
      lock.lock()
      if isResolved {
        lock.unlock()
        return
      }
      waiter.pointee.suspension = fiber.open()
      waiters.append(waiter)
      lock.unlock()
      if fiber.park() {
        lock.lock()
        // Resolving empties the list, even of waiters that it could not claim.
        if !isResolved { waiters.remove(waiter) }
        lock.unlock()
        throw CancellationError()
      }
    }
  }

  /// Calls back once it is resolved: on this thread if it is already, else on the thread that resolves it.
  @usableFromInline final func whenResolved(_ callback: @escaping @Sendable (AnyCoFuture) -> Void) {
    if isResolved { CallbackTurn.run(callback, for: self) } else { register(.allocate(callback)) }
  }

  /// Writes a result unless there is one, and wakes the waiters.
  @usableFromInline final func resolve(_ write: () -> Void) {
    lock.lock()
    if isResolved {
      lock.unlock()
      return
    }
    write()
    // Taken here and released outside of the lock.
    let upstream = takeUpstream()
    let claimed = resolveLocked()
    claimed.wake(for: self)
    withExtendedLifetime(upstream) {}
  }

  private func resolveLocked() -> WaiterList.Claimed {
    fiber = nil
    keepRetainsAhead()
    resolution.store(true, ordering: .releasing)
    let claimed = waiters.claimAll()
    lock.unlock()
    return claimed
  }

  @usableFromInline final func reject(_ error: any Error) { resolve { failure = error } }

  // MARK: As a coroutine

  /// Starts a coroutine that only the caller refers to, on this thread.
  @usableFromInline final func startHere(name: String?, stackByteCount: Int?) {
    let thread = context_thread_current()
    guard let fiber = FiberPool.take(stackByteCount: FiberPool.rounded(stackByteCount), on: thread) else {
      endUnstarted(CoroutineError.outOfStacks)
      return
    }
    self.fiber = fiber
    // While it has not suspended, only the caller holds it.
    fiber.begin(self, isHeld: false, scheduler: nil)
    if let name { fiber.setName(name) }
    fiber.drive(on: thread)
  }

  /// Starts it on a fiber: now, or when its scheduler runs it.
  @usableFromInline final func start(
    on scheduler: (any CoroutineScheduler)?, name: String?, stackByteCount: Int?
  ) {
    let byteCount = FiberPool.rounded(stackByteCount)
    if let scheduler {
      let start = ScheduledStart(self, on: scheduler, name: name, stackByteCount: byteCount)
      scheduler.scheduleTask { start.run() }
    } else {
      launch(on: nil, name, byteCount)
    }
  }

  /// Starts it on this thread, whatever its scheduler, on which it resumes after its first suspension.
  final func beginHere(goingOnOn scheduler: (any CoroutineScheduler)?) {
    launch(on: scheduler, nil, FiberPool.standardStackByteCount)
  }

  fileprivate final func launch(
    on scheduler: (any CoroutineScheduler)?, _ name: String?, _ stackByteCount: Int
  ) {
    let thread = context_thread_current()
    guard let fiber = FiberPool.take(stackByteCount: stackByteCount, on: thread) else {
      endUnstarted(CoroutineError.outOfStacks)
      return
    }
    lock.lock()
    if isCancelRequested {
      lock.unlock()
      FiberPool.giveBack(fiber, on: thread)
      endUnstarted(CancellationError())
      return
    }
    _ = Unmanaged.passRetained(self)
    fiber.begin(self, isHeld: true, scheduler: scheduler)
    self.fiber = fiber
    lock.unlock()
    if let name { fiber.setName(name) }
    fiber.drive(on: thread)
  }

  /// Runs on the fiber; leaves its result to be published.
  final func runBody() { operate(.run, self) }

  /// Ends a coroutine that will never start. Unless it was cancelled by itself, its group fails.
  fileprivate final func endUnstarted(_ error: any Error) {
    dropWork()
    if let group, !lock.withLock({ isCancelRequested }) { group.fail(error) }
    reject(error)
    leaveGroup()
  }

  /// Releases the work of a coroutine that will never start.
  func dropWork() {}

  /// Publishes the finished coroutine's result.
  final func publish() -> WaiterList.Claimed {
    if let failure, !isOwnCancellation(failure) { group?.fail(failure) }
    lock.lock()
    if cancelAction == nil { return resolveLocked() }
    // Taken here and released outside of the lock.
    let action = cancelAction.take()
    defer { withExtendedLifetime(action) {} }
    return resolveLocked()
  }

  /// A coroutine that is cancelled by itself does not fail its group.
  private func isOwnCancellation(_ error: any Error) -> Bool {
    guard error is CancellationError else { return false }
    return lock.withLock { isCancelRequested }
  }

  /// Publishes the result of a coroutine that has never suspended and that only its starter refers to: no waiters, no lock.
  final func publishUnknown() {
    fiber = nil
    keepRetainsAhead()
    resolution.store(true, ordering: .releasing)
  }

  final func leaveGroup() {
    guard let group else { return }
    self.group = nil
    group.remove(self)
  }

  /// Restores the flag of its fiber from its regions and its own cancellation; on that fiber.
  final func restoreCancellation(of fiber: FiberPointer) {
    // No closure, which would be allocated here.
    lock.lock()
    fiber.restoreCancellation(isRequested: isCancelRequested)
    lock.unlock()
  }
}

/// A coroutine that waits for its scheduler to start it. If the scheduler drops it, its future fails.
private final class ScheduledStart: @unchecked Sendable {
  // Invariant: the scheduler runs it once or drops it.
  private var future: AnyCoFuture?
  private let scheduler: any CoroutineScheduler
  private let name: String?
  private let stackByteCount: Int

  init(_ future: AnyCoFuture, on scheduler: any CoroutineScheduler, name: String?, stackByteCount: Int) {
    self.future = future
    self.scheduler = scheduler
    self.name = name
    self.stackByteCount = stackByteCount
  }

  deinit { future?.endUnstarted(CoroutineError.dropped) }

  func run() { future.take()?.launch(on: scheduler, name, stackByteCount) }
}
