import CStackLocals

/// The depth of nested calls of one kind on a stack, and the calls that wait until the stack is shorter.
///
/// Parts of a composition begin, end and are freed by plain calls, which are fast and keep their order. If `limit` calls are
/// nested, the outermost makes the next one later, so any number of parts need a bounded amount of stack.
///
/// Use it only through a pointer, so that no exclusive access lasts while a call runs: nested calls use it, too.
public struct Nesting {
  fileprivate var depth = 0
  fileprivate var waiting: [() -> Void] = []

  /// The largest number of nested calls. Each takes some hundred bytes (1 KiB in a debug build) of a coroutine's 128 KiB.
  public static let limit = 16

  public init() {}

  /// The kinds of calls that are counted separately on each stack.
  public enum Kind {
    /// Steps of composed tasks.
    case steps
    /// Deinitialisations of objects that release each other.
    case releases

    fileprivate var index: CInt {
      switch self {
      case .steps: CInt(stack_local_nesting)
      case .releases: CInt(stack_local_releases)
      }
    }
  }

  /// The nesting of the running stack, a thread's or a coroutine's. It is made on first use and freed with the stack.
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

  /// Frees an object now or, if too many releases are nested, lets the outermost free what `held` returns.
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
  /// Begins a call. Returns false if the call may not be made now. After true, the caller must call `leave`.
  public func enter() -> Bool {
    if pointee.depth == Nesting.limit { return false }
    pointee.depth += 1
    return true
  }

  /// Ends a call. If it is the outermost, first makes the waiting calls, in order, and the calls that those add.
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

  /// Makes the call now, or later if too many calls are nested.
  public func run(_ call: @escaping () -> Void) {
    guard enter() else { return later(call) }
    call()
    leave()
  }

  /// Makes the call later, before the outermost `leave` returns.
  public func later(_ call: @escaping () -> Void) { pointee.waiting.append(call) }
}
