import CContextSwitch
import Synchronization

typealias FiberPointer = UnsafeMutablePointer<Fiber>

/// A stack and what it takes to run something on it.
///
/// Fibers lie in raw memory that is never given back and never becomes anything else, so that one who comes late with an
/// old `Suspension` finds a gate to look at, whatever the fiber runs by then. They are reused: the entry loops, and a
/// fiber without work has left from there.
struct Fiber: ~Copyable {
  /// Why it left.
  enum Departure: UInt8 {
    case finished
    /// It waits; its gate says for what.
    case parked
    case yielded
  }

  // The first field: the C side knows a fiber by this address. Raw memory, because a property passed inout to the
  // switch would be an access that spans it.
  var machine: context_fiber
  let gate = Atomic<UInt64>(0)
  /// A hint to look, set under the lock of the task that it runs.
  let isCancelled = Atomic<Bool>(false)
  /// Above 0, awaits are not ended by cancellation. Touched by the coroutine itself.
  var shieldDepth = 0
  /// The innermost stretch of it that can be cancelled by itself. Touched by the coroutine itself.
  var region: UnsafeMutablePointer<CancellationRegion>?
  var departure = Departure.finished
  /// What it runs; it holds one reference.
  var task: Unmanaged<AnyCoFuture>?
  /// Where it runs; nil: at once, on the thread that resumes it.
  var scheduler: (any CoroutineScheduler)?
  /// The next in the one list it is in: free, ready, or about to be made ready.
  var next: FiberPointer?
  let stack: Stack

  init(stack: Stack) {
    self.stack = stack
    machine = context_fiber()
    machine.stack_bottom = stack.bottom.assumingMemoryBound(to: CChar.self)
    machine.stack_byte_count = stack.byteCount
  }
}

extension FiberPointer {
  /// The fiber that runs on this thread. Traps outside of a coroutine.
  static func current(for function: StaticString) -> FiberPointer {
    guard let fiber = currentIfAny else {
      preconditionFailure("\(function) was called outside of a coroutine")
    }
    return fiber
  }

  static var currentIfAny: FiberPointer? {
    context_thread_current().pointee.current?.assumingMemoryBound(to: Fiber.self)
  }

  private var machine: UnsafeMutablePointer<context_fiber> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: context_fiber.self)
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
    while true {
      fiber.pointee.task!._withUnsafeGuaranteedRef { $0.runBody() }
      fiber.leave(.finished)
    }
  }

  // MARK: On the fiber's own stack

  func leave(_ departure: Fiber.Departure) {
    pointee.departure = departure
    context_leave(machine)
  }

  // MARK: On the stack of whoever resumes it

  /// Puts a claimed fiber up to run: on its scheduler, or here, after what runs here has left.
  func makeReady() {
    if let scheduler = pointee.scheduler {
      // Invariant: the fiber is claimed, so this is the only one to resume it, and the scheduler runs it once.
      nonisolated(unsafe) let fiber = self
      scheduler.schedule { fiber.drive() }
      return
    }
    let thread = context_thread_current()
    if thread.pointee.current != nil || thread.pointee.is_driving {
      append(to: thread)
    } else {
      drive()
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

  /// Runs the fiber until it leaves. Unless somebody below on this stack does, it then runs those that became ready here.
  func drive() {
    let thread = context_thread_current()
    if thread.pointee.is_driving {
      runUntilItLeaves(on: thread)
      return
    }
    thread.pointee.is_driving = true
    var fiber = self
    while true {
      fiber.runUntilItLeaves(on: thread)
      guard let next = Self.takeReady(from: thread) else { break }
      fiber = next
    }
    thread.pointee.is_driving = false
  }

  private func runUntilItLeaves(on thread: UnsafeMutablePointer<context_thread>) {
    // A resumer stays on its thread while it waits for the fiber to leave: the thread is the same after the switch.
    let outer = thread.pointee.current
    while true {
      thread.pointee.current = UnsafeMutableRawPointer(self)
      context_resume(machine)
      thread.pointee.current = outer
      switch pointee.departure {
      case .finished:
        finish(on: thread)
        return
      case .parked:
        if settle() { return }
      case .yielded:
        if pointee.scheduler == nil { append(to: thread) } else { makeReady() }
        return
      }
    }
  }

  private func finish(on thread: UnsafeMutablePointer<context_thread>) {
    let task = pointee.task.take()!.takeRetainedValue()
    let waiters = task.publish()
    if pointee.machine.name != nil { dropName() }
    pointee.scheduler = nil
    FiberPool.giveBack(self, on: thread)
    waiters.wake(for: task)
    task.leaveScope()
  }

  private func dropName() {
    UnsafeMutablePointer<CChar>(mutating: pointee.machine.name).deallocate()
    pointee.machine.name = nil
  }
}
