import CContextSwitch

struct Waiter: ListNode {
  var next: UnsafeMutablePointer<Waiter>?
  var previous: UnsafeMutablePointer<Waiter>?
  /// A coroutine's wait. The waiter then lies on the coroutine's stack. `nil` for a callback, whose waiter is on the heap.
  var suspension: Suspension?
  var callback: (@Sendable (AnyCoFuture) -> Void)?
  var isListed = false
  /// Whether the waiter was withdrawn before it was added to the list.
  var isWithdrawn = false
  /// The future to pass to a callback that is queued behind a running one. The waiter retains the future once.
  var future: Unmanaged<AnyCoFuture>?
}

extension UnsafeMutablePointer<Waiter> {
  static func allocate(_ callback: @escaping @Sendable (AnyCoFuture) -> Void) -> Self {
    let waiter = allocate(capacity: 1)
    waiter.initialize(to: Waiter(callback: callback))
    return waiter
  }

  /// Frees a callback's waiter, which is in no list, and returns its contents.
  func retire() -> Waiter {
    defer { deallocate() }
    return move()
  }
}

/// A future's waiters, touched under its lock.
typealias WaiterList = NodeList<Waiter>

extension WaiterList {
  /// Empties the list and ends the waits of its coroutines. Call `wake` on the result after the unlock.
  mutating func claimAll() -> Claimed {
    var claimed = Claimed()
    var rest = first
    self = WaiterList()
    while let waiter = rest {
      rest = waiter.pointee.next
      if let suspension = waiter.pointee.suspension {
        // After `append`, the coroutine may continue, and then its waiter is gone.
        if let claim = suspension.claim() { claimed.fibers.append(suspension, claim) }
      } else {
        claimed.callbacks.append(waiter)
      }
    }
    return claimed
  }

  /// Waiters that have left the list and must be woken.
  struct Claimed {
    fileprivate var fibers = ReadyFibers()
    fileprivate var callbacks = WaiterList()

    func wake(for future: AnyCoFuture) {
      fibers.makeReady()
      if !callbacks.isEmpty { CallbackTurn.run(callbacks, for: future) }
    }
  }
}

/// Calls the callbacks of one stack one after another. Callbacks that become due while one runs wait until it has returned, so
/// a chain of any length runs in one frame. Each coroutine has its own `CallbackTurn`, even while a callback suspends it, and
/// so has each thread outside of coroutines.
struct CallbackTurn {
  // Invariant: a `CallbackTurn` lies on the stack whose callbacks it calls. Only code on that stack touches it.
  private var waiting = WaiterList()

  /// Calls callbacks, or queues them if another one is running on this stack.
  static func run(_ callbacks: WaiterList, for future: AnyCoFuture) {
    var callbacks = callbacks
    if let current {
      while let waiter = callbacks.removeFirst() { current.pointee.append(waiter, for: future) }
      return
    }
    begin {
      while let waiter = callbacks.removeFirst() { waiter.retire().callback?(future) }
    }
  }

  static func run(_ callback: @escaping @Sendable (AnyCoFuture) -> Void, for future: AnyCoFuture) {
    if let current {
      current.pointee.append(.allocate(callback), for: future)
      return
    }
    begin { callback(future) }
  }

  private static func begin(_ first: () -> Void) {
    var turn = CallbackTurn()
    withUnsafeMutablePointer(to: &turn) { turn in
      current = turn
      first()
      drain(turn)
      // A coroutine that suspended in a callback may be on another thread now. `current` is the turn of the coroutine or,
      // outside of coroutines, that of the thread.
      current = nil
    }
  }

  static func drain(_ turn: UnsafeMutablePointer<CallbackTurn>) {
    while let waiter = turn.pointee.waiting.removeFirst() {
      let next = waiter.retire()
      let future = next.future!.takeRetainedValue()
      next.callback?(future)
    }
  }

  private mutating func append(_ waiter: UnsafeMutablePointer<Waiter>, for future: AnyCoFuture) {
    waiter.pointee.future = .passRetained(future)
    waiting.append(waiter)
  }

  private static var current: UnsafeMutablePointer<CallbackTurn>? {
    get {
      let thread = context_thread_current()
      if let fiber = FiberPointer.running(on: thread) { return fiber.pointee.callbackTurn }
      return thread.pointee.callback_turn?.assumingMemoryBound(to: CallbackTurn.self)
    }
    set {
      let thread = context_thread_current()
      if let fiber = FiberPointer.running(on: thread) {
        fiber.pointee.callbackTurn = newValue
      } else {
        thread.pointee.callback_turn = newValue.map { UnsafeMutableRawPointer($0) }
      }
    }
  }
}
