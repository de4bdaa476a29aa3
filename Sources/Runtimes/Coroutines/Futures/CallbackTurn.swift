import CContextSwitch

/// Callbacks on one stack that take turns: those that come due while one runs wait until it has returned.
///
/// So a chain of any length, and a recursion of futures that are ready, runs in one frame. Each coroutine has turns of its
/// own, which it takes along when a callback suspends it, and so has a thread outside of coroutines.
struct CallbackTurn {
  // Invariant: it lies on the stack of the one who began it, who alone touches it, from there or from callbacks above.
  private var waiting = WaiterList()

  /// Calls them back, or lets them wait for their turn.
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

  /// The same for one that was in no list.
  static func run(_ callback: @escaping @Sendable (AnyCoFuture) -> Void, for future: AnyCoFuture) {
    if let current {
      let waiter = UnsafeMutablePointer<Waiter>.allocate(capacity: 1)
      waiter.initialize(to: Waiter(callback: callback))
      current.pointee.append(waiter, for: future)
      return
    }
    begin { callback(future) }
  }

  /// Takes the turns that wait, from within one.
  static func drainCurrent() {
    if let current { drain(current) }
  }

  private static func begin(_ first: () -> Void) {
    var turn = CallbackTurn()
    withUnsafeMutablePointer(to: &turn) { turn in
      current = turn
      first()
      drain(turn)
      // Perhaps another thread, but the same coroutine, or none and the same thread.
      current = nil
    }
  }

  private static func drain(_ turn: UnsafeMutablePointer<CallbackTurn>) {
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
      if let fiber = thread.pointee.current?.assumingMemoryBound(to: Fiber.self) {
        return fiber.pointee.callbackTurn
      }
      return thread.pointee.callback_turn?.assumingMemoryBound(to: CallbackTurn.self)
    }
    set {
      let thread = context_thread_current()
      if let fiber = thread.pointee.current?.assumingMemoryBound(to: Fiber.self) {
        fiber.pointee.callbackTurn = newValue
      } else {
        thread.pointee.callback_turn = newValue.map { UnsafeMutableRawPointer($0) }
      }
    }
  }
}
