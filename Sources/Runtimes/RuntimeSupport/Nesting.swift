import CStackLocals

/// Bounds the stack that nested calls need: if `limit` calls are nested, the outermost makes the next one before it returns.
///
/// Use it only through a pointer, so that no exclusive access lasts while a call runs: nested calls use it, too.
public struct Nesting {
  fileprivate var depth = 0
  fileprivate var waiting: [() -> Void] = []

  /// The largest number of nested calls. A call needs about 1 KiB of stack in a debug build; a coroutine has 128 KiB.
  public static let limit = 16

  public init() {}

  /// The kinds of calls that are counted separately on each stack.
  public enum Kind {
    /// Calls that start, continue or cancel tasks composed of other tasks.
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

  /// The nesting of the running thread's or coroutine's stack, made on first use and freed with the stack.
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

  /// Calls `release` or, if too many releases are nested, keeps the result of `held` until the outermost release has ended.
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
  /// Begins a call, which the caller must end by `leave`. Returns false if too many calls are nested.
  public func enter() -> Bool {
    if pointee.depth == Nesting.limit { return false }
    pointee.depth += 1
    return true
  }

  /// Ends a call. The outermost call first makes the waiting calls, in order, and those that they add.
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
