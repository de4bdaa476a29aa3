import CContextSwitch
import Foundation
import Synchronization

typealias FiberPointer = UnsafeMutablePointer<Fiber>

/// A stack, and the state for running coroutines on it, one after another.
///
/// The memory of fibers is never freed or used for anything else. So a thread that tries too late to end an old wait can still
/// read `gate`.
struct Fiber: ~Copyable {
  /// Why the coroutine left its stack.
  enum Departure: UInt8 {
    case finished
    /// The coroutine waits. `gate` holds the state of the wait.
    case parked
    case yielded
  }

  // The fields are in order of use: a switch touches only the first cache line; a start and a finish also touch the second.

  // The first field, because C code identifies a fiber by its address. Swift code accesses the field through raw memory,
  // because an `inout` access would last until the coroutine suspends.
  var machine: context_fiber
  let gate = Atomic<UInt64>(0)
  /// The running coroutine's future. The fiber retains it if `isTaskHeld`; otherwise the code that started the coroutine does.
  var task: Unmanaged<AnyCoFuture>?
  /// The next fiber in its list. A fiber is in one list at most: free, ready, or about to be made ready.
  var next: FiberPointer?

  /// The scheduler on which the coroutine runs. `nil` means that it runs on the thread that resumes it.
  var scheduler: (any CoroutineScheduler)?
  /// The call of a group's `map` that started this coroutine. `nil` if the coroutine has a `task`. Retained by the group.
  var mapping: Unmanaged<AnyMapping>?
  var index = 0
  /// The innermost region that can be cancelled separately. Only the coroutine touches it.
  var region: UnsafeMutablePointer<CancellationRegion>?
  /// The queue of future callbacks that run on this fiber's stack. Only the coroutine touches it.
  var callbackTurn: UnsafeMutablePointer<CallbackTurn>?
  /// The innermost group that is cancelled with this coroutine, touched under `lifeLock`. A cancelling thread may still retain
  /// the group after its body has returned, so the compiler must not allocate the group on the stack.
  var innermost: CoGroup?
  /// The number of elements of `map` calls that this fiber has run, touched under `lifeLock`. A change of the number tells a
  /// cancelling thread that the fiber was reused.
  var life: UInt64 = 0
  let lifeLock = CoLock()
  /// Whether the coroutine is cancelled. Read without a lock. Written under the lock of `task` or, for an element of a `map`,
  /// under `lifeLock`.
  let isCancelled = Atomic<Bool>(false)
  var departure = Departure.finished
  var isTaskHeld = false
  /// The number of nested `shielded` calls. While it is above 0, cancellation ends no wait. Only the coroutine touches it.
  var shieldDepth: Int32 = 0
  /// The id of the pool worker that last ran the fiber, or 0. A coroutine stays on its worker, because optimised code may keep
  /// the address of a thread-local variable across a switch, and a `Mutex` keeps its thread's id.
  var worker: UInt = 0
  /// The priority with which the fiber waits for its worker. Only the thread that makes the fiber ready touches it.
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
  /// The fiber that runs on this thread. Outside of a coroutine, the process ends with a message.
  static func current(for function: StaticString) -> FiberPointer {
    guard let fiber = currentIfAny else {
      fatalError("\(function) was called outside of a coroutine: call it in the closure of Coroutine.start")
    }
    return fiber
  }

  /// The fiber that runs on this thread. Throws `calledOutsideCoroutine` if there is none.
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

  /// Makes `machine.stack` point to `details`. Call it at the fiber's final address.
  func linkDetails() { withUnsafeMutablePointer(to: &pointee.details) { pointee.machine.stack = $0 } }

  /// Prefetches the cache lines that a resumption will touch. Call it only on a fiber whose wait this thread has ended.
  func prefetch() { context_prefetch(machine) }

  /// `prefetchFiber` and `prefetchStack` together do the same as `prefetch`, but read only constants, because other threads
  /// may run the fiber meanwhile. A coroutine that awaits a callback suspends about 540 bytes below its stack's entry.
  func prefetchFiber() { context_prefetch_lines(self, 3) }
  func prefetchStack() { prefetchStack(lines: 9) }

  /// Prefetches the cache lines that a start will touch: a coroutine uses about 1 400 bytes of its stack before it suspends.
  func prefetchStackForStart() { prefetchStack(lines: 22) }

  @inline(__always) private func prefetchStack(lines: Int32) {
    context_prefetch_lines(pointee.stack.entry - Int(lines) * 64, lines)
  }

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

  /// Gives a free fiber a coroutine to run, which `drive` starts.
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

  /// Sets the name for the message about a stack overflow. Call it before the start.
  func setName(_ name: String) { pointee.details.name = UnsafePointer(strdup(name)) }

  func leave(_ departure: Fiber.Departure) {
    pointee.departure = departure
    context_leave(machine)
  }

  /// Queues a fiber whose wait has ended on its scheduler. Without a scheduler, calls `driveInTurn`.
  func makeReady() {
    if let scheduler = pointee.scheduler {
      scheduler.schedule(ReadyCoroutine(fiber: self))
    } else {
      driveInTurn()
    }
  }

  /// Runs the fiber on this thread, once the coroutine that runs on this thread has left its stack.
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

  /// Runs the fiber until its coroutine suspends or ends, and then all fibers that became ready on this thread. If an outer
  /// call of `drive` is running on this thread, leaves those fibers to it.
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
    // The calling stack stays on this thread until the fiber leaves its own stack, so `thread` is valid after the switch.
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

  /// Makes the fiber retain its future, because after a suspension no other code may retain it.
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
