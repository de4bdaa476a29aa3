import CContextSwitch
import Foundation
import Synchronization

typealias FiberPointer = UnsafeMutablePointer<Fiber>

/// A stack, and the state to run a coroutine on it.
///
/// Fibers lie in raw memory that is never freed or reused for anything else, so that a late call with an old `Suspension` finds
/// a gate. They are reused: the entry loops, and a fiber without work has left from there.
struct Fiber: ~Copyable {
  /// Why the coroutine left its stack.
  enum Departure: UInt8 {
    case finished
    /// It waits, as its gate says.
    case parked
    case yielded
  }

  // In order of use: a switch touches the first cache line, a start and a finish the second.

  // The first field: C code identifies a fiber by this address. Accessed through raw memory, because a property passed inout to
  // the switch would be an access that spans it.
  var machine: context_fiber
  let gate = Atomic<UInt64>(0)
  /// Its coroutine with a future, which it holds if `isTaskHeld`; otherwise the starter holds it, on the stack below, and
  /// nothing else refers to it.
  var task: Unmanaged<AnyCoFuture>?
  /// The next fiber in its one list: free, ready, or about to be made ready.
  var next: FiberPointer?

  /// Where it runs; nil: at once, on the thread that resumes it.
  var scheduler: (any CoroutineScheduler)?
  /// Instead of a task, an element of a `map`, which its group keeps.
  var mapping: Unmanaged<AnyMapping>?
  var index = 0
  /// Its innermost region that can be cancelled by itself. Only the coroutine touches it.
  var region: UnsafeMutablePointer<CancellationRegion>?
  /// The callbacks that are running on it. Only the coroutine touches it.
  var callbackTurn: UnsafeMutablePointer<CallbackTurn>?
  /// Its innermost group that its cancellation cancels. Touched under `lifeLock`. It retains the group, as a cancellation does,
  /// perhaps for longer than the group runs, so the group must not lie on its owner's stack.
  var innermost: CoGroup?
  /// Keeps an element's fiber from being reused while a thread cancels it: guards `life`.
  var life: UInt64 = 0
  let lifeLock = CoLock()
  /// A flag to check, set under the lock of the future or, for an element of a `map`, under `lifeLock`.
  let isCancelled = Atomic<Bool>(false)
  var departure = Departure.finished
  var isTaskHeld = false
  /// Above 0, cancellation does not end awaits. Only the coroutine touches it.
  var shieldDepth: Int32 = 0
  /// The last pool worker that ran it, by its id in `WorkerGroup`; 0: none has. A pool's coroutine stays on its worker, because
  /// optimised code may keep the address of a thread-local variable, or `Mutex` its thread's id, across a switch.
  var worker: UInt = 0
  /// The lane in which it waits for that worker; of a claimed fiber.
  var lane = WorkerGroup.Lane.shared

  let stack: Stack
  /// Invariant: `machine` points to it, and a fiber never moves.
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

  /// Call it once the fiber lies at its final address.
  func linkDetails() { withUnsafeMutablePointer(to: &pointee.details) { pointee.machine.stack = $0 } }

  /// Fetches the cache lines that entering it will touch; of a claimed fiber.
  func prefetch() { context_prefetch(machine) }

  /// Fetches them in two steps, for a fiber that other threads may run: it reads only what never changes. A coroutine that
  /// awaits a callback suspends some 540 bytes below its stack's entry.
  func prefetchFiber() { context_prefetch_lines(self, 3) }
  func prefetchStack() { prefetchStack(lines: 9) }

  /// Fetches the cache lines that starting it will touch: it makes a call before it suspends, some 1 400 bytes deep. With a
  /// thousand suspended coroutines, the second-level cache no longer has them at the next start.
  func prefetchStackForStart() { prefetchStack(lines: 22) }

  @inline(__always) private func prefetchStack(lines: Int32) {
    context_prefetch_lines(pointee.stack.entry - Int(lines) * 64, lines)
  }

  /// Makes the stack ready to be entered.
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

  /// Gives a fresh fiber its work, which `drive` starts.
  func begin(_ task: AnyCoFuture, isHeld: Bool, scheduler: (any CoroutineScheduler)?) {
    pointee.task = Unmanaged.passUnretained(task)
    pointee.isTaskHeld = isHeld
    begin(scheduler)
  }

  /// Gives a fresh fiber an element of a `map`.
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

  /// Queues a claimed fiber: on its scheduler, or on this thread after the running one has left.
  func makeReady() {
    if let scheduler = pointee.scheduler {
      scheduler.schedule(ReadyCoroutine(fiber: self))
    } else {
      driveInTurn()
    }
  }

  /// Runs it on this thread: now, or after the running one has left.
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

  /// Runs the fiber until it leaves. Unless a caller on this stack does so, it then runs the fibers that became ready here.
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
    // A resumer stays on its thread while it waits for the fiber to leave: the thread is the same after the switch.
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

  /// A coroutine that leaves its starter may be referred to elsewhere, so the fiber holds it.
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
