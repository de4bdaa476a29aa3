import CContextSwitch
import RuntimeSupport
import Synchronization

/// A future without the type of its value. It can be waited for and cancelled.
public class AnyCoFuture: @unchecked Sendable {
  // Invariant: `waiters`, `fiber` and `isCancelRequested` are touched under `lock`. The group writes `group` once, and touches
  // the links to other children under its own lock. One thread writes the result before it stores `resolution` (releasing),
  // and no thread writes the result afterwards.
  let lock = CoLock()
  @usableFromInline let resolution = Atomic<Bool>(false)
  @exclusivity(unchecked) final var isCancelRequested = false
  @exclusivity(unchecked) final var waiters = WaiterList()
  /// The future that this one was made from by `map`. `upstreamWaiter` is this future's waiter there. The reference is weak,
  /// because the code that resolves the source retains it. If the source is released unresolved, this future fails.
  @exclusivity(unchecked) final weak var upstream: AnyCoFuture?
  @exclusivity(unchecked) final var upstreamWaiter: UnsafeMutablePointer<Waiter>?
  @exclusivity(unchecked) final var cancelAction: (@Sendable () -> Void)?
  /// The fiber that runs this future's coroutine, from its start to its end.
  @exclusivity(unchecked) private var fiber: FiberPointer?
  @exclusivity(unchecked) final var group: CoGroup?
  // The links to other children do not retain them, because the group retains each child that it lists.
  @exclusivity(unchecked) unowned(unsafe) final var nextChild: AnyCoFuture?
  @exclusivity(unchecked) unowned(unsafe) final var previousChild: AnyCoFuture?

  @usableFromInline @exclusivity(unchecked) final var failure: (any Error)?
  /// The value of a future that has succeeded.
  @usableFromInline @exclusivity(unchecked) final var storage = Storage((0, 0, 0, 0))
  @usableFromInline typealias Storage = InlineStorage<(UInt, UInt, UInt, UInt)>
  @usableFromInline @exclusivity(unchecked) final var hasValue = false

  /// Performs an operation that depends on the value's type. A closure without captures is faster than an overridden method of
  /// a generic subclass, which the compiler does not specialise.
  private let operate: @Sendable (Operation, AnyCoFuture) -> Void

  @usableFromInline enum Operation {
    case run
    case destroyValue
  }

  @usableFromInline init(operate: @escaping @Sendable (Operation, AnyCoFuture) -> Void) {
    self.operate = operate
  }

  deinit {
    if hasValue { operate(.destroyValue, self) }
    // Only callbacks can still be waiting, because a waiting coroutine retains the future.
    if !waiters.isEmpty { waiters.claimAll().wake(for: Self.dropped) }
  }

  /// The failed future that callbacks of a future receive if it was released unresolved.
  private static let dropped: AnyCoFuture = {
    let future = AnyCoFuture { _, _ in }
    future.reject(CoroutineError.dropped)
    return future
  }()

  @inlinable @inline(__always) final func result<Value>(of type: Value.Type) -> Result<Value, any Error> {
    if let failure { return .failure(failure) }
    return .success(storage.load(as: type))
  }

  /// Whether the future has a result. Any thread may read it.
  @inlinable public final var isResolved: Bool { resolution.load(ordering: .acquiring) }

  /// Whether the result is a `CancellationError`.
  public final var isCanceled: Bool { isResolved && failure is CancellationError }

  /// Calls back once the future is resolved, like `whenComplete` with the result.
  public final func whenComplete(_ callback: sending @escaping () -> Void) {
    // Invariant: `callback` is called only once.
    nonisolated(unsafe) let callback = callback
    whenResolved { _ in callback() }
  }

  /// Calls back once if `cancel()` is called before the future is resolved: on the cancelling thread, or immediately if
  /// `cancel()` came first. The callbacks are called in the order of registration, and do not count as waiters.
  public final func whenCanceled(_ callback: sending @escaping () -> Void) {
    // Invariant: `callback` is called only once.
    nonisolated(unsafe) let callback = callback
    setCancelHandler { callback() }
  }

  /// Cancels the work. From now on, a coroutine's awaits throw `CancellationError`; a coroutine that has not started never
  /// starts. Any other future fails immediately, and cancels its source if that has no other waiters (the library
  /// SwiftCoroutine always cancels it). Any thread may call this, any number of times. A resolved future stays as it is.
  public final func cancel() { CancellationList.run { cancel(&$0) } }

  /// Cancels this future and, in turn, each upstream future without other waiters. Adds all other steps to `list`.
  final func cancel(_ list: inout CancellationList) {
    var future = self
    while let next = future.cancelAlone(&list) { future = next }
  }

  /// Cancels only this future. Returns the upstream future if that must be cancelled next.
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
      // `list` cancels the upstream future before it ends this one.
      if let upstream {
        list.push(.rejection(self))
        return upstream.withdraw()
      }
      endCancelled(action)
      return nil
    }
    // `lock` keeps the fiber from being reused during the request.
    let claim = fiber.requestCancellation()
    let groups = fiber.pointee.lifeLock.withLock { fiber.groups }
    let (_, action) = takeUpstream()
    lock.unlock()
    if claim == .parked { fiber.makeReady() }
    list.push(groups)
    action?()
    return nil
  }

  /// Ends this future after its upstream was cancelled.
  final func endCancelled() { endCancelled(lock.withLock { cancelAction.take() }) }

  /// Resolves this future with a `CancellationError`, and calls the handlers.
  private final func endCancelled(_ action: (@Sendable () -> Void)?) {
    reject(CancellationError())
    action?()
  }

  /// Waits for the result. Call it inside a coroutine. Throws `CancellationError` if that coroutine is cancelled first.
  @usableFromInline final func wait() throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    // Inside a callback, first run the callbacks that wait for this one to return: they may resolve this future.
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
        // A resolved future has already emptied its list.
        if !isResolved { waiters.remove(waiter) }
        lock.unlock()
        throw CancellationError()
      }
    }
  }

  /// Calls back once the future is resolved: on this thread if it is resolved, otherwise on the thread that resolves it.
  @usableFromInline final func whenResolved(_ callback: @escaping @Sendable (AnyCoFuture) -> Void) {
    if isResolved { CallbackTurn.run(callback, for: self) } else { register(.allocate(callback)) }
  }

  @usableFromInline final func resolve(_ write: () -> Void) {
    lock.lock()
    if isResolved {
      lock.unlock()
      return
    }
    write()
    // Keeps the old upstream and handlers alive until after the unlock, because their release may run a caller's code.
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

  /// Starts this future's coroutine on this thread. Only the caller may refer to this future.
  @usableFromInline final func startHere(name: String?, stackByteCount: Int?) {
    let thread = context_thread_current()
    guard let fiber = FiberPool.take(stackByteCount: FiberPool.rounded(stackByteCount), on: thread) else {
      endUnstarted(CoroutineError.outOfStacks)
      return
    }
    self.fiber = fiber
    // Until the coroutine suspends, only the caller retains this future.
    fiber.begin(self, isHeld: false, scheduler: nil)
    if let name { fiber.setName(name) }
    fiber.drive(on: thread)
  }

  /// Starts the coroutine on its scheduler or, without one, on this thread.
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

  /// Starts this future's coroutine on this thread. After its first suspension it resumes on the scheduler.
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

  /// Runs the work on the fiber. Other threads see the result only after `publish`.
  final func runBody() { operate(.run, self) }

  /// Ends a coroutine that will never start. Its group fails unless this future was cancelled.
  fileprivate final func endUnstarted(_ error: any Error) {
    dropWork()
    if let group, !lock.withLock({ isCancelRequested }) { group.fail(error) }
    reject(error)
    leaveGroup()
  }

  /// Releases the work of a coroutine that will never start.
  func dropWork() {}

  final func publish() -> WaiterList.Claimed {
    if let failure, !isOwnCancellation(failure) { group?.fail(failure) }
    lock.lock()
    if cancelAction == nil { return resolveLocked() }
    // Keeps the handler alive until after the unlock, because its release may run a caller's code.
    let action = cancelAction.take()
    defer { withExtendedLifetime(action) {} }
    return resolveLocked()
  }

  /// Whether the coroutine ended because its own future was cancelled. Such an end does not fail its group.
  private func isOwnCancellation(_ error: any Error) -> Bool {
    guard error is CancellationError else { return false }
    return lock.withLock { isCancelRequested }
  }

  /// Publishes the result of a coroutine that never suspended. No lock, because only its starter refers to this future.
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

  /// Recomputes the fiber's `isCancelled` from its regions and this future's cancellation. Only the coroutine calls it.
  final func restoreCancellation(of fiber: FiberPointer) {
    // Not `withLock`, whose closure would be allocated.
    lock.lock()
    fiber.restoreCancellation(isRequested: isCancelRequested)
    lock.unlock()
  }
}

/// A coroutine that a scheduler will start. If the scheduler releases it unstarted, its future fails.
private final class ScheduledStart: @unchecked Sendable {
  // Invariant: the scheduler calls `run` once, or releases this object without a call.
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
