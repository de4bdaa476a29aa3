import CContextSwitch
import RuntimeSupport
import Synchronization

/// A future of whatever value: what can be waited for and cancelled.
public class AnyCoFuture: @unchecked Sendable {
  // Invariant: `waiters`, `fiber`, `isCancelRequested` are touched under `lock`. `group` and the child links belong to
  // the group. A result is written by one, before `resolution` is set (releasing), and never after.
  let lock = CoLock()
  @usableFromInline let resolution = Atomic<Bool>(false)
  @exclusivity(unchecked) final var isCancelRequested = false
  @exclusivity(unchecked) final var waiters = WaiterList()
  /// Where its result comes from, if from another future, and its waiter there. It does not hold that future: what will
  /// resolve it does, and if nothing will, it goes and says so.
  @exclusivity(unchecked) final weak var upstream: AnyCoFuture?
  @exclusivity(unchecked) final var upstreamWaiter: UnsafeMutablePointer<Waiter>?
  /// What its producer wants done if it is cancelled.
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

  /// What depends on the type of the value. What a generic subclass overrides runs unspecialised and looks types up, which
  /// costs more than anything else here; a closure made where the type is known does not, and this one captures nothing.
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

  /// What the callbacks of a future get that went unresolved.
  private static let dropped: AnyCoFuture = {
    let future = AnyCoFuture { _, _ in }
    future.reject(CoroutineError.dropped)
    return future
  }()

  /// The value or the error of one that is resolved.
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

  /// Calls back once, if it is cancelled by `cancel()` before it is resolved: on the thread that cancels, at once if that has
  /// happened. Handlers are called in order, and do not count as something that waits.
  public final func whenCanceled(_ callback: sending @escaping () -> Void) {
    // Called once.
    nonisolated(unsafe) let callback = callback
    setCancelHandler { callback() }
  }

  /// Asks for an end: a coroutine's awaits throw `CancellationError` from now on, and one that has not started never does;
  /// anything else fails at once, and what it was made from is cancelled too, if nothing else waits for that (SwiftCoroutine
  /// cancels it in any case). Any thread, any number of times; does nothing once it is resolved.
  public final func cancel() {
    CancellationList.run { cancel(&$0) }
  }

  /// Cancels it, and those that it was made from as long as there is one each; leaves the rest to the list.
  final func cancel(_ list: inout CancellationList) {
    var future = self
    while let next = future.cancelAlone(&list) { future = next }
  }

  /// Returns the future that it was made from, if that is to be cancelled too.
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
      // What it was made from ends before.
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

  /// Ends it, now that what it was made from is cancelled.
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
    // If this is called in a callback: the callbacks that wait for it to return may be what resolves this future.
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
        // Resolving empties the list, of waiters too that it could not claim.
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

  /// Starts a coroutine that only the caller knows of, on this thread.
  @usableFromInline final func startHere(name: String?, stackByteCount: Int?) {
    let thread = context_thread_current()
    guard let fiber = FiberPool.take(stackByteCount: FiberPool.rounded(stackByteCount), on: thread) else {
      endUnstarted(CoroutineError.outOfStacks)
      return
    }
    self.fiber = fiber
    // While it has not suspended, the caller holds it, and nothing else can know it.
    fiber.begin(self, isHeld: false, scheduler: nil)
    if let name { fiber.setName(name) }
    fiber.drive(on: thread)
  }

  /// Starts it on a fiber: now, or when the scheduler gets to it.
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

  /// Makes the finished coroutine's result known.
  final func publish() -> WaiterList.Claimed {
    if let failure, !isOwnCancellation(failure) { group?.fail(failure) }
    lock.lock()
    if cancelAction == nil { return resolveLocked() }
    // Taken here and released outside of the lock.
    let action = cancelAction.take()
    defer { withExtendedLifetime(action) {} }
    return resolveLocked()
  }

  /// One coroutine of a group that is cancelled by itself is no failure of the group.
  private func isOwnCancellation(_ error: any Error) -> Bool {
    guard error is CancellationError else { return false }
    return lock.withLock { isCancelRequested }
  }

  /// The same for one that has never suspended and that only its starter knows: there is nothing to exclude or to notify.
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

  /// The hint of the fiber that runs it, as its regions and its own cancellation have it; on that fiber.
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
