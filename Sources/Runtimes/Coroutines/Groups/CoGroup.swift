import Synchronization

/// A group of coroutines, none of which outlives the call of `run` that made the group.
///
/// `run` returns when every coroutine of the group has ended. The first error cancels the other coroutines and the owner's
/// wait, and `run` throws the error. Cancelling the owner cancels all coroutines of the group. (For work that belongs to an
/// object, use ``CoScope``.)
public final class CoGroup: @unchecked Sendable {
  // Invariant: the variables are touched under `lock`. While there is a child, the owner runs or waits inside `run`.
  let lock = CoLock()
  let owner: FiberPointer
  private let region: UnsafeMutablePointer<CancellationRegion>
  let scheduler: (any CoroutineScheduler)?
  let limit: Int
  @exclusivity(unchecked) var firstError: (any Error)?
  /// Whether `run` has returned. From then on the owner's fiber may be reused.
  @exclusivity(unchecked) private var isOver = false
  @exclusivity(unchecked) var count = 0
  /// The first of the group's children, which are the futures of its running coroutines. The group retains each child once.
  @exclusivity(unchecked) unowned(unsafe) private var firstChild: AnyCoFuture?
  /// The running call of `map`, if any. In a group without a limit, the whole call counts as one child.
  @exclusivity(unchecked) var mapping: AnyMapping?
  /// Whether the group has failed. Atomic, so that a check before each start needs no lock.
  let hasFailed = Atomic<Bool>(false)
  /// The group that encloses this one on the owner's stack, while the owner runs this group.
  private var outer: CoGroup?
  /// The owner's wait, if it waits. `epoch` is the number of the wait, which ends when at most `target` children are left.
  @exclusivity(unchecked) private var ownerWaits: (target: Int, epoch: UInt64)?

  private init(
    owner: FiberPointer, region: UnsafeMutablePointer<CancellationRegion>,
    scheduler: (any CoroutineScheduler)?, limit: Int
  ) {
    self.owner = owner
    self.region = region
    self.scheduler = scheduler
    self.limit = limit
  }

  /// Runs `body` with a new group, which the running coroutine owns. Call it inside a coroutine.
  ///
  /// - Parameters:
  ///   - scheduler: where the group's coroutines run. `nil` means the thread that starts them.
  ///   - limit: the largest number of coroutines at any moment, at least 1. `nil` means no limit.
  ///   - body: the work, which receives the group.
  public static func run<Value>(
    on scheduler: (any CoroutineScheduler)? = nil, limit: Int? = nil, _ body: (CoGroup) throws -> Value
  ) throws -> Value {
    let owner = try FiberPointer.current()
    try owner.checkCancellation()
    var region = CancellationRegion(in: owner)
    return try withUnsafeMutablePointer(to: &region) { region in
      let group = CoGroup(owner: owner, region: region, scheduler: scheduler, limit: max(1, limit ?? .max))
      region.enter(owner)
      group.enter()
      let result = Result { try body(group) }
      if case .failure(let error) = result { group.fail(error) }
      do {
        try group.wait(untilCount: 0)
      } catch {
        group.fail(error)
        Coroutine.shielded { try? group.wait(untilCount: 0) }
      }
      group.leave()
      let error = group.lock.withLock {
        group.isOver = true
        return group.firstError
      }
      region.leave(owner)
      if let error { throw error }
      return try result.get()
    }
  }

  /// Starts a coroutine in the group. With a limit, only the owner may start coroutines, and this call waits while the group is
  /// at its limit. If the group has failed or was cancelled, starts nothing and throws the group's error.
  @discardableResult @inlinable public func async<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> CoFuture<Value> {
    let child = CoFuture(running: body)
    try start(child)
    return child
  }

  /// Like `async`, but starts the coroutine on the calling thread immediately. The coroutine resumes on the group's scheduler.
  func asyncHere<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> CoFuture<Value> {
    let child = CoFuture(running: body)
    while try !add(child) { try waitAtLimit() }
    child.beginHere(goingOnOn: scheduler)
    return child
  }

  /// Cancels everything in the group, so that `run` throws `CancellationError`.
  public func cancel() { fail(CancellationError()) }

  @usableFromInline func start(_ child: AnyCoFuture) throws {
    while try !add(child) { try waitAtLimit() }
    child.start(on: scheduler, name: nil, stackByteCount: nil)
  }

  private func add(_ child: AnyCoFuture) throws -> Bool {
    lock.lock()
    defer { lock.unlock() }
    precondition(!isOver, "the group has ended: start its coroutines before CoGroup.run returns")
    if let firstError { throw firstError }
    guard count < limit else { return false }
    count += 1
    child.group = self
    _ = Unmanaged.passRetained(child)
    child.nextChild = firstChild
    firstChild?.previousChild = child
    firstChild = child
    return true
  }

  func remove(_ child: AnyCoFuture) {
    lock.lock()
    let next = child.nextChild
    child.nextChild = nil
    if let previous = child.previousChild { previous.nextChild = next } else { firstChild = next }
    next?.previousChild = child.previousChild
    childLeft()
    Unmanaged.passUnretained(child).release()
  }

  /// Decrements the count of running children, and may end the owner's wait. Call it under the lock, which it releases.
  func childLeft() {
    count -= 1
    var isReady = false
    if let (target, epoch) = ownerWaits, count <= target {
      ownerWaits = nil
      let suspension = Suspension(fiber: owner, epoch: epoch)
      if let claim = suspension.claim() { isReady = suspension.end(claim) }
    }
    lock.unlock()
    if isReady { owner.makeReady() }
  }

  /// Fails the group with the first error, which cancels its children and its owner's wait. Later errors do nothing.
  func fail(_ error: any Error) { CancellationList.run { fail(error, &$0) } }

  /// Fails the group, and adds the cancellations of its owner's wait and its children to `list`.
  func fail(_ error: any Error, _ list: inout CancellationList) {
    lock.lock()
    guard firstError == nil, !isOver else {
      lock.unlock()
      return
    }
    firstError = error
    hasFailed.store(true, ordering: .sequentiallyConsistent)
    let mapping = mapping
    let claim = region.cancel(owner)
    if claim == .parked { list.push(.ready(owner)) }
    // The newest child is listed first, and the step pushed last runs first, so the oldest child is cancelled first.
    var child = firstChild
    while let cancelled = child {
      list.push(.future(cancelled))
      child = cancelled.nextChild
    }
    lock.unlock()
    mapping?.cancelStarted(&list)
  }

  /// Waits until no child is left, and throws the group's error if there is one. Only the owner may call it.
  @usableFromInline func waitForChildren() throws {
    precondition(
      FiberPointer.currentIfAny == owner, "only the coroutine that called CoGroup.run may wait for the group")
    do { try wait(untilCount: 0) } catch { throw firstErrorIfAny ?? error }
    if let error = firstErrorIfAny { throw error }
  }

  func waitAtLimit() throws {
    precondition(
      FiberPointer.currentIfAny == owner,
      "a group with a limit accepts new coroutines only from the coroutine that called CoGroup.run")
    do { try wait(untilCount: limit - 1) } catch { throw firstErrorIfAny ?? error }
  }

  private var firstErrorIfAny: (any Error)? { lock.withLock { firstError } }

  /// Makes a later cancellation of the owner cancel this group, too, unless the owner is shielded now.
  private func enter() {
    if owner.pointee.shieldDepth > 0 { return }
    owner.pointee.lifeLock.withLock {
      outer = owner.pointee.innermost
      owner.pointee.innermost = self
    }
  }

  private func leave() {
    owner.pointee.lifeLock.withLock {
      guard owner.pointee.innermost === self else { return }
      owner.pointee.innermost = outer
      outer = nil
    }
  }

  /// This group and the groups that enclose it, innermost first. Call it under the owner's `lifeLock`.
  var chain: [CoGroup] {
    var chain = [self]
    while let outer = chain[chain.count - 1].outer { chain.append(outer) }
    return chain
  }

  /// Waits until the group has at most `target` children. Only the owner may call it.
  private func wait(untilCount target: Int) throws {
    try owner.checkCancellation()
    lock.lock()
    if count <= target {
      lock.unlock()
      return
    }
    ownerWaits = (target, owner.open().epoch)
    lock.unlock()
    guard owner.park() else { return }
    lock.withLock { ownerWaits = nil }
    throw CancellationError()
  }
}
