import CStackLocals

/// How deep steps of composed tasks are nested on this stack, and those that wait for the stack to be shorter.
///
/// A step begins its part, and a part's end begins the next step, by a plain call: that is fast and keeps things
/// in order. Beyond `limit` calls within calls the next one is left to the outermost, so that tasks composed of any
/// number of steps run, end and are freed in bounded stack.
@usableFromInline
struct Nesting {
  fileprivate var depth = 0
  fileprivate var waiting: [() -> Void] = []

  /// A level takes some hundred bytes, and more than a KiB in a debug build; a coroutine has 64 KiB.
  static let limit = 16

  /// Whether a call may be made now; `leave` must follow it then.
  @usableFromInline
  static func enter() -> Bool {
    let nesting = current
    if nesting.pointee.depth == limit { return false }
    nesting.pointee.depth += 1
    return true
  }

  @usableFromInline
  static func leave() {
    let nesting = current
    if nesting.pointee.depth == 1, !nesting.pointee.waiting.isEmpty { nesting.runWaiting() }
    nesting.pointee.depth -= 1
  }

  /// Does the work when the stack is short again, there, before the outermost `leave` returns.
  @usableFromInline
  static func later(_ work: @escaping () -> Void) { current.pointee.waiting.append(work) }
}

extension UnsafeMutablePointer<Nesting> {
  /// Does what waits, first come first served, including what that causes.
  fileprivate func runWaiting() {
    while !pointee.waiting.isEmpty {
      var batch: [() -> Void] = []
      swap(&batch, &pointee.waiting)
      for work in batch { work() }
    }
  }
}

extension Nesting {
  /// That of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
  static var current: UnsafeMutablePointer<Nesting> {
    if let address = stack_local(CInt(stack_local_nesting)) {
      return address.assumingMemoryBound(to: Nesting.self)
    }
    let made = UnsafeMutablePointer<Nesting>.allocate(capacity: 1)
    made.initialize(to: Nesting())
    stack_local_set(CInt(stack_local_nesting), made) { address in
      let nesting = address!.assumingMemoryBound(to: Nesting.self)
      nesting.deinitialize(count: 1)
      nesting.deallocate()
    }
    return made
  }
}
