import CContextSwitch
import Foundation
import Synchronization

typealias FiberPointer = UnsafeMutablePointer<Fiber>

/// A stack, and the state to run a coroutine on it.
///
/// The raw memory of fibers is never freed or used for anything else, so a late call with an old `Suspension` still finds a
/// gate. A fiber is reused: its entry function loops, and a fiber without work has left from that loop.
struct Fiber: ~Copyable {
  /// Why the coroutine left its stack.
  enum Departure: UInt8 {
    case finished
    /// The coroutine waits; the gate holds the state of the wait.
    case parked
    case yielded
  }

  // Fields in order of use: a switch touches the first cache line, a start and a finish the second.

  // The first field, because C code identifies a fiber by this address. Accessed through raw memory: if it were passed `inout`
  // to the switch, Swift's exclusive access would last until the coroutine is back.
  var machine: context_fiber
  let gate = Atomic<UInt64>(0)
  /// The future of the running coroutine. The fiber retains it if `isTaskHeld`; else only the starter on the stack below does.
  var task: Unmanaged<AnyCoFuture>?
  /// The next fiber in the only list that this fiber is in: free, ready, or about to be made ready.
  var next: FiberPointer?

  /// Where the coroutine runs. `nil` means on the thread that resumes it.
  var scheduler: (any CoroutineScheduler)?
  /// The `map` whose element runs here instead of a task. The group retains it.
  var mapping: Unmanaged<AnyMapping>?
  var index = 0
  /// The innermost region that can be cancelled separately. Only the coroutine touches it.
  var region: UnsafeMutablePointer<CancellationRegion>?
  /// The turn of callbacks that is running on this fiber. Only the coroutine touches it.
  var callbackTurn: UnsafeMutablePointer<CallbackTurn>?
  /// The innermost group that is cancelled with this coroutine. Touched under `lifeLock`. Fiber and canceller retain it,
  /// perhaps for longer than it runs, so the compiler must not allocate it on its owner's stack.
  var innermost: CoGroup?
  /// The number of elements that this fiber has run, under `lifeLock`. A canceller compares it to skip a fiber that was reused.
  var life: UInt64 = 0
  let lifeLock = CoLock()
  /// Set under the lock of the future or, for an element of a `map`, under `lifeLock`. Read without a lock.
  let isCancelled = Atomic<Bool>(false)
  var departure = Departure.finished
  var isTaskHeld = false
  /// The number of nested `shielded` calls; above 0, cancellation does not end waits. Only the coroutine touches it.
  var shieldDepth: Int32 = 0
  /// The id in `WorkerGroup` of the last pool worker that ran the fiber; 0 means none. A coroutine stays on its worker, because
  /// optimised code may keep the address of a thread-local variable, or `Mutex` its thread's id, across a switch.
  var worker: UInt = 0
  /// The lane in which the fiber waits for that worker. Touched only by the thread that has claimed the fiber.
  var lane = WorkerGroup.Lane.shared

  let stack: Stack
  /// Invariant: `machine.stack` points here, so a fiber never moves.
  var details: context_stack

  init(stack: Stack) {
    self.stack = stack
    machine = context_fiber()
    details = context_stack()
    details.bottom = stack.bottom.assumingMemoryBound(to: CChar.self)
    details.byte_count = stack.byteCount
  }
}

extension FiberPointer {
  /// The fiber that runs on this thread. Ends the process outside of a coroutine.
  static func current(for function: StaticString) -> FiberPointer {
    guard let fiber = currentIfAny else {
      fatalError("\(function) was called outside of a coroutine")
    }
    return fiber
  }

  /// The fiber that runs on this thread, for functions that can throw.
  static func current() throws -> FiberPointer {
    guard let fiber = currentIfAny else { throw CoroutineError.calledOutsideCoroutine }
    return fiber
  }

  static var currentIfAny: FiberPointer? { running(on: context_thread_current()) }

  static func running(on thread: UnsafeMutablePointer<context_thread>) -> FiberPointer? {
    thread.pointee.current?.assumingMemoryBound(to: Fiber.self)
  }

  private var machine: UnsafeMutablePointer<context_fiber> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: context_fiber.self)
  }

  /// Makes `machine.stack` point to `details`. Call it once the fiber is at its final address.
  func linkDetails() { withUnsafeMutablePointer(to: &pointee.details) { pointee.machine.stack = $0 } }

  /// Fetches the cache lines that a resumption will touch. Call it only on a claimed fiber.
  func prefetch() { context_prefetch(machine) }

  /// Like `prefetch`, in two steps. Other threads may run the fiber meanwhile, so they read only constants. A coroutine that
  /// awaits a callback suspends some 540 bytes below its stack's entry.
  func prefetchFiber() { context_prefetch_lines(self, 3) }
  func prefetchStack() { prefetchStack(lines: 9) }

  /// Fetches the cache lines that a start will touch: before it suspends, a new coroutine makes a call some 1 400 bytes deep.
  /// With a thousand suspended coroutines, the second-level cache no longer has these lines at the next start.
  func prefetchStackForStart() { prefetchStack(lines: 22) }

  @inline(__always) private func prefetchStack(lines: Int32) {
    context_prefetch_lines(pointee.stack.entry - Int(lines) * 64, lines)
  }

  /// Makes the stack ready for the first switch to it.
  func prepare() {
    if pointee.machine.context == nil {
      pointee.machine.context = context_prepare(
        pointee.stack.entry, { FiberPointer.enter($0!.assumingMemoryBound(to: Fiber.self)) }, self)
      context_fiber_create(machine)
    }
  }

  private static func enter(_ fiber: FiberPointer) {
    context_entered(fiber.machine)
    while true {
      if let task = fiber.pointee.task {
        task._withUnsafeGuaranteedRef { $0.runBody() }
      } else {
        let index = fiber.pointee.index
        fiber.pointee.mapping.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.run($0, index) }
      }
      fiber.leave(.finished)
    }
  }

  /// Gives a free fiber its work, which `drive` starts.
  func begin(_ task: AnyCoFuture, isHeld: Bool, scheduler: (any CoroutineScheduler)?) {
    pointee.task = Unmanaged.passUnretained(task)
    pointee.isTaskHeld = isHeld
    begin(scheduler)
  }

  /// Gives a free fiber an element of a `map` to run.
  func begin(_ index: Int, of mapping: AnyMapping, scheduler: (any CoroutineScheduler)?) {
    pointee.mapping = Unmanaged.passUnretained(mapping)
    pointee.index = index
    begin(scheduler)
  }

  private func begin(_ scheduler: (any CoroutineScheduler)?) {
    pointee.isCancelled.store(false, ordering: .relaxed)
    pointee.worker = 0
    if scheduler != nil { pointee.scheduler = scheduler }
  }

  /// The name for the overflow message; set it before the start.
  func setName(_ name: String) { pointee.details.name = UnsafePointer(strdup(name)) }

  // MARK: On the fiber's own stack

  func leave(_ departure: Fiber.Departure) {
    pointee.departure = departure
    context_leave(machine)
  }

  // MARK: On the stack that resumes it

  /// Queues a claimed fiber on its scheduler. Without one, runs it on this thread once the running coroutine has left.
  func makeReady() {
    if let scheduler = pointee.scheduler {
      scheduler.schedule(ReadyCoroutine(fiber: self))
    } else {
      driveInTurn()
    }
  }

  /// Runs the fiber on this thread, once the coroutine that runs there has left.
  func driveInTurn() {
    let thread = context_thread_current()
    if thread.pointee.current != nil || thread.pointee.is_driving {
      append(to: thread)
    } else {
      drive(on: thread)
    }
  }

  private func append(to thread: UnsafeMutablePointer<context_thread>) {
    pointee.next = nil
    if let last = thread.pointee.ready_last?.assumingMemoryBound(to: Fiber.self) {
      last.pointee.next = self
    } else {
      thread.pointee.ready_first = UnsafeMutableRawPointer(self)
    }
    thread.pointee.ready_last = UnsafeMutableRawPointer(self)
  }

  private static func takeReady(from thread: UnsafeMutablePointer<context_thread>) -> FiberPointer? {
    guard let first = thread.pointee.ready_first?.assumingMemoryBound(to: Fiber.self) else { return nil }
    thread.pointee.ready_first = first.pointee.next.map { UnsafeMutableRawPointer($0) }
    if thread.pointee.ready_first == nil { thread.pointee.ready_last = nil }
    return first
  }

  /// Runs the fiber until it leaves, then the fibers that became ready here, unless an outer call on this stack runs those.
  @inline(__always) func drive(on thread: UnsafeMutablePointer<context_thread>) {
    let isInner = thread.pointee.is_driving
    thread.pointee.is_driving = true
    runUntilItLeaves(on: thread)
    if isInner { return }
    if thread.pointee.ready_first != nil { Self.driveReady(on: thread) }
    thread.pointee.is_driving = false
  }

  @inline(never) private static func driveReady(on thread: UnsafeMutablePointer<context_thread>) {
    while let fiber = takeReady(from: thread) { fiber.runUntilItLeaves(on: thread) }
  }

  @inline(__always) private func runUntilItLeaves(on thread: UnsafeMutablePointer<context_thread>) {
    // The resumer cannot change its thread while it waits for the fiber to leave, so `thread` is valid after the switch.
    let outer = thread.pointee.current
    if thread.pointee.pool_worker != 0 { pointee.worker = thread.pointee.pool_worker }
    while true {
      thread.pointee.current = UnsafeMutableRawPointer(self)
      context_resume(machine)
      thread.pointee.current = outer
      let hasFinished = pointee.departure == .finished
      context_left(machine, hasFinished)
      if hasFinished {
        finish(on: thread)
        return
      }
      holdTask()
      if pointee.departure == .yielded {
        if pointee.scheduler == nil { append(to: thread) } else { makeReady() }
        return
      }
      if settle() { return }
    }
  }

  /// Once the coroutine has suspended, other code may refer to its future, so the fiber retains it.
  private func holdTask() {
    if !pointee.isTaskHeld, let task = pointee.task {
      _ = task.retain()
      pointee.isTaskHeld = true
    }
  }

  @inline(__always) private func finish(on thread: UnsafeMutablePointer<context_thread>) {
    if let name = pointee.details.name {
      pointee.details.name = nil
      free(UnsafeMutablePointer<CChar>(mutating: name))
    }
    if pointee.scheduler != nil { pointee.scheduler = nil }
    guard let task = pointee.task else {
      finishElement(on: thread)
      return
    }
    pointee.task = nil
    guard pointee.isTaskHeld else {
      FiberPool.giveBack(self, on: thread)
      task._withUnsafeGuaranteedRef { $0.publishUnknown() }
      return
    }
    finish(task, on: thread)
  }

  @inline(never) private func finish(
    _ task: Unmanaged<AnyCoFuture>, on thread: UnsafeMutablePointer<context_thread>
  ) {
    let waiters = task._withUnsafeGuaranteedRef { $0.publish() }
    FiberPool.giveBack(self, on: thread)
    task._withUnsafeGuaranteedRef {
      waiters.wake(for: $0)
      $0.leaveGroup()
    }
    task.release()
  }

  @inline(never) private func finishElement(on thread: UnsafeMutablePointer<context_thread>) {
    let (mapping, index) = (pointee.mapping.unsafelyUnwrapped, pointee.index)
    pointee.mapping = nil
    pointee.lifeLock.withLock { pointee.life &+= 1 }
    FiberPool.giveBack(self, on: thread)
    mapping._withUnsafeGuaranteedRef { $0.leave(index) }
  }
}
