import Synchronization

extension Coroutine {
  /// Whether the running coroutine was cancelled. Call it inside a coroutine.
  public static var isCancelled: Bool {
    FiberPointer.current(for: "isCancelled").pointee.isCancelled.load(ordering: .relaxed)
  }

  /// Throws `CancellationError` if the running coroutine was cancelled. Call it inside a coroutine.
  public static func checkCancellation() throws { try FiberPointer.current().checkCancellation() }

  /// Runs cleanup whose waits ignore cancellation. Call it inside a coroutine.
  ///
  ///     let file = try open()
  ///     defer { Coroutine.shielded { try? file.close().await() } }
  ///
  /// In a cancelled coroutine, a `defer` still runs, but each unshielded wait in it throws immediately.
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

  /// Recomputes `isCancelled` from the cancellations of the coroutine and of its regions. Only the coroutine itself calls it.
  func restoreCancellation() {
    if let task = pointee.task {
      task._withUnsafeGuaranteedRef { $0.restoreCancellation(of: self) }
    } else if let mapping = pointee.mapping {
      pointee.lifeLock.lock()
      restoreCancellation(isRequested: mapping._withUnsafeGuaranteedRef { $0.hasFailed })
      pointee.lifeLock.unlock()
    }
  }

  /// Recomputes `isCancelled` under the lock that guards it. `isRequested` is whether the coroutine itself was cancelled.
  func restoreCancellation(isRequested: @autoclosure () -> Bool) {
    // Clears the flag first: a cancelling thread marks a region and then sets the flag, so no cancellation is lost.
    pointee.isCancelled.store(false, ordering: .sequentiallyConsistent)
    if isRequested() || pointee.region?.isAnyCancelled() == true {
      pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Cancels the coroutine and its groups. Does nothing if the fiber's counter differs from `life`, because then the fiber
  /// runs another coroutine. `lifeLock` prevents such a reuse during the call.
  func cancel(life: UInt64) { CancellationList.run { cancel(life: life, &$0) } }

  /// Cancels the coroutine now, and adds the cancellations of its groups to `list`, which the caller runs later.
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

  /// Cancels the coroutine of a fiber that only this thread may resume.
  func cancelFromOutside() {
    if let task = pointee.task {
      task._withUnsafeGuaranteedRef { $0.cancel() }
    } else {
      cancel(life: pointee.life)
    }
  }

  /// The groups that the fiber runs, innermost first. Call it under `lifeLock`.
  var groups: [CoGroup] { pointee.innermost?.chain ?? [] }

  /// Sets `isCancelled` and ends the coroutine's wait. If the result is `.parked`, the caller must resume the coroutine.
  func requestCancellation() -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return claimForCancellation()
  }
}

/// A part of a coroutine that can be cancelled separately: the body of a group or of `withTimeout`.
struct CancellationRegion: ~Copyable {
  // Invariant: a region lies on the coroutine's stack from `enter` to `leave`, and regions nest. Other threads touch
  // `isCancelled` only under a lock that guarantees that the region has not ended.
  fileprivate let outer: UnsafeMutablePointer<CancellationRegion>?
  fileprivate let isCancelled = Atomic<Bool>(false)

  init(in fiber: FiberPointer) { outer = fiber.pointee.region }
}

extension UnsafeMutablePointer<CancellationRegion> {
  func enter(_ fiber: FiberPointer) { fiber.pointee.region = self }

  /// Sets `isCancelled` and ends the coroutine's wait. If the result is `.parked`, the caller must resume the coroutine.
  func cancel(_ fiber: FiberPointer) -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return fiber.requestCancellation()
  }

  /// Ends the region. No thread may cancel it any more. Cancellations of outer regions stay in effect.
  func leave(_ fiber: FiberPointer) {
    fiber.pointee.region = pointee.outer
    guard pointee.isCancelled.load(ordering: .relaxed) else { return }
    fiber.restoreCancellation()
  }

  func isAnyCancelled() -> Bool {
    var region: UnsafeMutablePointer<CancellationRegion>? = self
    while let current = region {
      if current.pointee.isCancelled.load(ordering: .sequentiallyConsistent) { return true }
      region = current.pointee.outer
    }
    return false
  }
}

/// The remaining steps of a cancellation. A list, because recursion through deeply nested groups would overflow the stack.
struct CancellationList {
  enum Step {
    case future(AnyCoFuture)
    case rejection(AnyCoFuture)
    case group(CoGroup)
    case element(Int, of: AnyMapping)
    /// Resumes a coroutine whose wait was ended by the cancellation of its group.
    case ready(FiberPointer)
  }

  /// The remaining steps, in reverse order: the last one runs next.
  private var steps: [Step] = []

  mutating func push(_ step: Step) { steps.append(step) }

  /// Adds the cancellations of groups, which run next, in the order of the groups.
  mutating func push(_ groups: [CoGroup]) {
    for group in groups.reversed() { push(.group(group)) }
  }

  /// Runs `begin`, and then every step that `begin` or another step adds.
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
