import CStackLocals

/// How deep calls of one kind are nested on a stack, and the calls that wait for the stack to be shorter.
///
/// Parts begin, end and are freed by plain calls, which is fast and keeps their order. Beyond `limit` nested calls the next one
/// is left to the outermost, so that any number of parts need bounded stack.
///
/// It is used through a pointer, whose accesses never span a call: calls within the call use it, too.
public struct Nesting {
  fileprivate var depth = 0
  fileprivate var waiting: [() -> Void] = []

  /// A level takes some hundred bytes, and more than 1 KiB in a debug build; a coroutine's stack has 128 KiB.
  public static let limit = 16

  public init() {}

  /// What is counted, for each stack separately.
  public enum Kind {
    /// Steps of composed tasks.
    case steps
    /// Objects that are freed within each other.
    case releases

    fileprivate var index: CInt {
      switch self {
      case .steps: CInt(stack_local_nesting)
      case .releases: CInt(stack_local_releases)
      }
    }
  }

  /// The nesting of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
  public static func current(_ kind: Kind) -> UnsafeMutablePointer<Nesting> {
    if let address = stack_local(kind.index) { return address.assumingMemoryBound(to: Nesting.self) }
    let made = UnsafeMutablePointer<Nesting>.allocate(capacity: 1)
    made.initialize(to: Nesting())
    stack_local_set(kind.index, made) { address in
      let nesting = address!.assumingMemoryBound(to: Nesting.self)
      nesting.deinitialize(count: 1)
      nesting.deallocate()
    }
    return made
  }

  /// Frees an object now, or leaves what `held` returns to be freed by the outermost release.
  public static func release(_ kind: Kind = .releases, _ release: () -> Void, orHold held: () -> Any) {
    let nesting = current(kind)
    if nesting.enter() {
      release()
      nesting.leave()
    } else {
      let held = held()
      nesting.later { withExtendedLifetime(held) {} }
    }
  }
}

extension UnsafeMutablePointer<Nesting> {
  /// Whether a call may be made now; `leave` must follow it then.
  public func enter() -> Bool {
    if pointee.depth == Nesting.limit { return false }
    pointee.depth += 1
    return true
  }

  /// Ends a call. The outermost one first makes the calls that wait, in order, and those that they cause.
  public func leave() {
    if pointee.depth == 1 {
      while !pointee.waiting.isEmpty {
        var batch: [() -> Void] = []
        swap(&batch, &pointee.waiting)
        for call in batch { call() }
      }
    }
    pointee.depth -= 1
  }

  /// Makes the call now, or later if calls are nested too deep.
  public func run(_ call: @escaping () -> Void) {
    guard enter() else { return later(call) }
    call()
    leave()
  }

  /// Makes the call when the stack is short again, before the outermost `leave` returns.
  public func later(_ call: @escaping () -> Void) { pointee.waiting.append(call) }
}
