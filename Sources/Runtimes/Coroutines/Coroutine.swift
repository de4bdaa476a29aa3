import CContextSwitch
import Synchronization

/// A function that can suspend on a stack of its own, and go on later, perhaps on another thread.
///
/// It runs on its scheduler: when it is started, and after each suspension. With `.immediate`, the default, that is the
/// thread that starts it or completes what it waits for; inside another coroutine of that thread it waits until that
/// one suspends, so that resumptions never nest.
///
/// Two things do not travel with a coroutine that suspends: a lock it holds is still held by the thread that took it,
/// and a task-local value stays with the thread. Do not suspend inside either.
public final class Coroutine: @unchecked Sendable {
  /// What belongs to the switch, in raw memory: a property passed inout would be an access that spans it.
  ///
  /// The first three fields are reached by their offsets.
  struct Frame {
    var context: UnsafeMutableRawPointer?
    var resumer: UnsafeMutableRawPointer?
    var accesses: ExclusivityAccesses.State = (0, 0)
    var fiber: UnsafeMutableRawPointer?
    var resumerFiber: UnsafeMutableRawPointer?
  }

  private enum State {
    static let running: UInt8 = 0
    static let suspended: UInt8 = 1
    /// What the coroutine waits for is there, before it has suspended.
    static let woken: UInt8 = 2
  }

  /// Where it runs; nil: at once, on the thread that resumes it.
  @usableFromInline let scheduler: (any CoroutineScheduler)?
  @usableFromInline let cancellation = CancellationState()
  private let pool: StackPool
  private let stack: Stack
  // Invariant: the frame lies at the stack's top, is initialised in init and lives as long as the stack is owned. It and
  // `body`, `isFinished` and `nextReady` are touched only by the thread that runs the coroutine or puts it up to run; the
  // exchanges of `state` and the scheduler's hand-over order one such thread after the other.
  private let frame: UnsafeMutablePointer<Frame>
  private var body: (@Sendable () -> Void)?
  private var isFinished = false
  fileprivate var nextReady: Coroutine?
  /// Its neighbours in its scope, which guards them with its lock and unlinks them before it lets go.
  var previousSibling: Coroutine?
  unowned(unsafe) var nextSibling: Coroutine?
  private let state = Atomic<UInt8>(State.suspended)

  init(
    pool: StackPool, scheduler: (any CoroutineScheduler)?, body: @escaping @Sendable () -> Void
  ) {
    self.pool = pool
    self.scheduler = scheduler
    self.body = body
    stack = pool.take()
    // A cache line or more for the frame; the rest of the stack stays aligned to 64 bytes.
    let top = stack.top - 128
    frame = top.bindMemory(to: Frame.self, capacity: 1)
    frame.initialize(to: Frame())
    frame.pointee.context = context_prepare(
      top, { Coroutine.enter($0!) }, Unmanaged.passUnretained(self).toOpaque())
    frame.pointee.fiber = context_fiber_create()
  }

  deinit {
    // Whoever could resume it is gone: it has finished, or never ran.
    if let fiber = frame.pointee.fiber { context_fiber_destroy(fiber) }
    pool.giveBack(stack)
  }

  /// Starts a coroutine on a scheduler.
  ///
  /// - Parameters:
  ///   - stackByteCount: the size of its stack, rounded up to pages; the lowest page is the guard. Memory is used as
  ///     it is touched. An overflow ends the process.
  @discardableResult
  public static func start(
    on scheduler: (any CoroutineScheduler)? = nil, stackByteCount: Int? = nil,
    _ body: @escaping @Sendable () -> Void
  ) -> Coroutine {
    let pool = stackByteCount.map(StackPool.pool) ?? .standard
    let coroutine = Coroutine(pool: pool, scheduler: scheduler, body: body)
    coroutine.launch()
    return coroutine
  }

  /// One that is not launched yet.
  @usableFromInline convenience init(
    scheduler: (any CoroutineScheduler)?, body: @escaping @Sendable () -> Void
  ) {
    self.init(pool: .standard, scheduler: scheduler, body: body)
  }

  /// Puts it up to run for the first time.
  @usableFromInline func launch() {
    if let scheduler {
      scheduler.schedule { self.run() }
    } else {
      run()
    }
  }

  /// The coroutine that runs on this thread; nil outside of any.
  public static var current: Coroutine? {
    context_current().map { Unmanaged<Coroutine>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: On the coroutine's own stack

  /// Suspends unless `wake` was called since the last suspension; to be called by the running coroutine itself.
  @usableFromInline func suspendUnlessWoken() {
    let woken = state.compareExchange(
      expected: State.woken, desired: State.running, ordering: .acquiringAndReleasing)
    if !woken.exchanged { leave() }
  }

  private func leave() {
    let frame = frame
    context_switch_to_fiber(Self.contextSlot(frame), frame.pointee.resumer!, frame.pointee.resumerFiber)
  }

  private static func enter(_ argument: UnsafeMutableRawPointer) -> Never {
    let this = Unmanaged<Coroutine>.fromOpaque(argument)
    this._withUnsafeGuaranteedRef { coroutine in
      coroutine.body?()
      // Let go of what was captured here, where it was used.
      coroutine.body = nil
      coroutine.isFinished = true
      coroutine.leave()
    }
    fatalError("a finished coroutine was resumed")
  }

  // MARK: On the stack of whoever resumes it

  /// Says that what the coroutine waits for is there: it goes on, on its scheduler. Once per suspension; any thread.
  @usableFromInline func wake() {
    guard state.exchange(State.woken, ordering: .acquiringAndReleasing) == State.suspended else { return }
    if let scheduler {
      scheduler.schedule { self.run() }
    } else if context_current() != nil {
      Ready.append(self)
    } else {
      run()
    }
  }

  /// Runs until it suspends or finishes, and then those that became ready meanwhile on this thread.
  private func run() {
    runUntilSuspended()
    while context_current() == nil, let next = Ready.take() { next.runUntilSuspended() }
  }

  private func runUntilSuspended() {
    repeat {
      state.store(State.running, ordering: .relaxed)
      switchIn()
      if isFinished { return }
      // Woken before it had left: it goes on at once.
    } while !state.compareExchange(
      expected: State.running, desired: State.suspended, ordering: .acquiringAndReleasing
    ).exchanged
  }

  private func switchIn() {
    let frame = frame
    let outer = context_current()
    context_set_current(Unmanaged.passUnretained(self).toOpaque())
    frame.pointee.resumerFiber = context_fiber_current()
    ExclusivityAccesses.enter?(Self.accessesSlot(frame))
    context_switch_to_fiber(Self.resumerSlot(frame), frame.pointee.context!, frame.pointee.fiber)
    ExclusivityAccesses.exit?(Self.accessesSlot(frame))
    context_set_current(outer)
  }

  private static func contextSlot(_ frame: UnsafeMutablePointer<Frame>)
    -> UnsafeMutablePointer<UnsafeMutableRawPointer?>
  {
    // `context` is the first field.
    UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  private static func resumerSlot(_ frame: UnsafeMutablePointer<Frame>)
    -> UnsafeMutablePointer<UnsafeMutableRawPointer?>
  {
    contextSlot(frame) + 1
  }

  private static func accessesSlot(_ frame: UnsafeMutablePointer<Frame>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(contextSlot(frame) + 2)
  }
}

/// The immediate coroutines that were woken inside a coroutine of this thread, in order.
private enum Ready {
  /// The thread's word points at the last one; each points at the next, the last at the first. It holds one reference.
  static func append(_ coroutine: Coroutine) {
    let last = context_ready().map { Unmanaged<Coroutine>.fromOpaque($0).takeRetainedValue() }
    coroutine.nextReady = last?.nextReady ?? coroutine
    last?.nextReady = coroutine
    context_set_ready(Unmanaged.passRetained(coroutine).toOpaque())
  }

  static func take() -> Coroutine? {
    guard let last = context_ready().map({ Unmanaged<Coroutine>.fromOpaque($0).takeUnretainedValue() }),
      let first = last.nextReady
    else { return nil }
    if first === last {
      context_set_ready(nil)
      Unmanaged.passUnretained(last).release()
    } else {
      last.nextReady = first.nextReady
    }
    first.nextReady = nil
    return first
  }
}
