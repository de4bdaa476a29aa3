import Synchronization

extension Coroutine {
  /// Whether the running coroutine was cancelled; inside a coroutine.
  public static var isCancelled: Bool {
    FiberPointer.current(for: "isCancelled").pointee.isCancelled.load(ordering: .relaxed)
  }

  /// Throws `CancellationError` if the running coroutine was cancelled; inside a coroutine.
  public static func checkCancellation() throws { try FiberPointer.current().checkCancellation() }

  /// Runs `body` with awaits that cancellation does not end, for cleanup; inside a coroutine.
  ///
  ///     let file = try open()
  ///     defer { Coroutine.shielded { try? file.close().await() } }
  ///
  /// A `defer` always runs, but what it awaits throws at once in a cancelled coroutine, unless it is shielded.
  public static func shielded<Value>(_ body: () throws -> Value) rethrows -> Value {
    let fiber = FiberPointer.current(for: "shielded")
    fiber.pointee.shieldDepth += 1
    defer { fiber.pointee.shieldDepth -= 1 }
    return try body()
  }
}

extension FiberPointer {
  func checkCancellation() throws {
    if pointee.isCancelled.load(ordering: .relaxed), pointee.shieldDepth == 0 { throw CancellationError() }
  }

  /// Restores the flag from the coroutine's regions and its own cancellation; on that fiber.
  func restoreCancellation() {
    if let task = pointee.task {
      task._withUnsafeGuaranteedRef { $0.restoreCancellation(of: self) }
    } else if let mapping = pointee.mapping {
      pointee.lifeLock.lock()
      restoreCancellation(isRequested: mapping._withUnsafeGuaranteedRef { $0.hasFailed })
      pointee.lifeLock.unlock()
    }
  }

  /// Under the lock that guards the flag.
  func restoreCancellation(isRequested: @autoclosure () -> Bool) {
    // Cleared, then set again: a region is marked before the flag is set, so one of the two stores comes last.
    pointee.isCancelled.store(false, ordering: .sequentiallyConsistent)
    if isRequested() || pointee.region?.isAnyCancelled() == true {
      pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Cancels the coroutine and its groups, if the fiber still runs it: nothing starts in them once this has returned. The lock
  /// keeps the fiber from being reused meanwhile.
  func cancel(life: UInt64) { CancellationList.run { cancel(life: life, &$0) } }

  /// Cancels the coroutine, and leaves its groups to the list.
  func cancel(life: UInt64, _ list: inout CancellationList) {
    pointee.lifeLock.lock()
    guard pointee.life == life else {
      pointee.lifeLock.unlock()
      return
    }
    let claim = requestCancellation()
    let groups = groups
    pointee.lifeLock.unlock()
    if claim == .parked { makeReady() }
    list.push(groups)
  }

  /// Cancels the coroutine of a claimed fiber.
  func cancelFromOutside() {
    if let task = pointee.task {
      task._withUnsafeGuaranteedRef { $0.cancel() }
    } else {
      cancel(life: pointee.life)
    }
  }

  /// The groups that the fiber runs, innermost first; under `lifeLock`.
  var groups: [CoGroup] { pointee.innermost?.chain ?? [] }

  /// Sets the flag, and ends the coroutine's wait. On `.parked` the caller makes it ready.
  func requestCancellation() -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return claimForCancellation()
  }
}

/// A part of a coroutine that can be cancelled by itself: a group's body, or one with a timeout.
struct CancellationRegion: ~Copyable {
  // Invariant: it lies on the coroutine's stack from `enter` to `leave`, which nest. Other threads touch `isCancelled`, under a
  // lock that says it is not over.
  fileprivate let outer: UnsafeMutablePointer<CancellationRegion>?
  fileprivate let isCancelled = Atomic<Bool>(false)

  init(in fiber: FiberPointer) { outer = fiber.pointee.region }
}

extension UnsafeMutablePointer<CancellationRegion> {
  func enter(_ fiber: FiberPointer) { fiber.pointee.region = self }

  /// Sets the flag, and ends the coroutine's wait. On `.parked` the caller makes it ready.
  func cancel(_ fiber: FiberPointer) -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return fiber.requestCancellation()
  }

  /// Ends the region, when nothing can cancel it any more; its cancellation ends with it, that of outer regions does not.
  func leave(_ fiber: FiberPointer) {
    fiber.pointee.region = pointee.outer
    guard pointee.isCancelled.load(ordering: .relaxed) else { return }
    fiber.restoreCancellation()
  }

  /// Whether this region or an outer one is cancelled.
  func isAnyCancelled() -> Bool {
    var region: UnsafeMutablePointer<CancellationRegion>? = self
    while let current = region {
      if current.pointee.isCancelled.load(ordering: .sequentiallyConsistent) { return true }
      region = current.pointee.outer
    }
    return false
  }
}

/// The steps of a cancellation that remain, on the thread that cancels. A list in place of recursion, because groups and
/// combinations may be nested to any depth.
struct CancellationList {
  enum Step {
    case future(AnyCoFuture)
    /// Ends a future whose upstream is cancelled. Only a reference: more would cost every list memory.
    case rejection(AnyCoFuture)
    case group(CoGroup)
    case element(Int, of: AnyMapping)
    /// Resumes a coroutine whose wait was ended, now that its group is cancelled.
    case ready(FiberPointer)
  }

  /// The next one last.
  private var steps: [Step] = []

  /// Adds a step before all others.
  mutating func push(_ step: Step) { steps.append(step) }

  /// Adds groups before all other steps, in their order.
  mutating func push(_ groups: [CoGroup]) {
    for group in groups.reversed() { push(.group(group)) }
  }

  /// Runs `begin`, the steps that it adds, and those that follow from them.
  static func run(_ begin: (inout CancellationList) -> Void) {
    var list = CancellationList()
    begin(&list)
    list.run()
  }

  private mutating func run() {
    while let step = steps.popLast() {
      switch step {
      case .future(let future): future.cancel(&self)
      case .rejection(let future): future.endCancelled()
      case .group(let group): group.fail(CancellationError(), &self)
      case .element(let index, let mapping): mapping.cancelElement(index, &self)
      case .ready(let fiber): fiber.makeReady()
      }
    }
  }
}
