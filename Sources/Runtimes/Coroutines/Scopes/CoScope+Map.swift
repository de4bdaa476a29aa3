import CContextSwitch
import Synchronization

extension CoScope {
  /// Runs a coroutine for each element at once, or as many as the scope's limit lets, and returns the results in the order
  /// of the elements, when every coroutine of the scope has finished; for the scope's owner. Cheaper than `async` and
  /// `await` for each: its coroutines have no future, and share one entry in the scope.
  ///
  /// - Throws: the scope's error, such as the first that `transform` throws.
  @inlinable public func map<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Value
  ) throws -> [Value] {
    if elements.isEmpty { return [] }
    let group = MapGroup(elements, transform, scope: self)
    try start(group)
    try waitForChildren()
    // Without an error every slot is filled.
    return elements.indices.map { group.results[$0].unsafelyUnwrapped }
  }
}

extension CoScope {
  /// Starts the elements of a group.
  @usableFromInline func start(_ group: AnyMapGroup) throws {
    lock.lock()
    if let firstError {
      lock.unlock()
      throw firstError
    }
    precondition(
      self.group == nil && FiberPointer.currentIfAny == owner, "one map at a time, by the scope's owner")
    self.group = group
    if !isLimited { count += 1 }
    lock.unlock()
    var started = 0
    var failure: (any Error)?
    // What has not started when the scope fails never does.
    while started < group.count, !hasFailed.load(ordering: .relaxed) {
      do { if isLimited { try admitElement() } } catch {
        failure = error
        break
      }
      start(started, of: group)
      started += 1
    }
    // Another thread that failed the scope meanwhile may have missed the elements started last.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if hasFailed.load(ordering: .relaxed) {
      CancellationList.run { group.cancelStarted(&$0) }
    }
    if started < group.count { leave(group, count: group.count - started) }
    if let failure { throw failure }
  }

  private var isLimited: Bool { limit < .max }

  private func start(_ index: Int, of group: AnyMapGroup) {
    guard let scheduler else {
      group.start(index, on: nil)
      return
    }
    // The scope keeps the group until the element has left.
    scheduler.schedule { [unowned(unsafe) self, unowned(unsafe) group] in
      if hasFailed.load(ordering: .sequentiallyConsistent) {
        elementLeft(group)
      } else {
        group.start(index, on: scheduler)
      }
    }
  }

  /// Counts an element of a limited scope, once there is room for it.
  private func admitElement() throws {
    func isAdmitted() -> Bool {
      lock.withLock {
        if count == limit { return false }
        count += 1
        return true
      }
    }
    while !isAdmitted() { try waitAtLimit() }
  }

  /// An element of the group is done.
  func elementLeft(_ group: AnyMapGroup) {
    if !isLimited {
      leave(group, count: 1)
      return
    }
    lock.lock()
    if group.countDown() { self.group = nil }
    childLeft()
  }

  /// Elements of a group are done or will never start.
  private func leave(_ group: AnyMapGroup, count: Int) {
    guard group.countDown(count) else { return }
    lock.lock()
    self.group = nil
    if isLimited { lock.unlock() } else { childLeft() }
  }
}

/// The coroutines of one `map`, of whatever types: fibers without futures.
@usableFromInline class AnyMapGroup: @unchecked Sendable {
  /// The fiber that runs an element, and its life while it does.
  private struct Slot: ~Copyable {
    // Invariant: `life` is written before `fiber` is, which happens once.
    let fiber = Atomic<UInt>(0)
    var life: UInt64 = 0
  }

  // Invariant: what is not atomic is written in init, or by the one who starts the element, before its fiber is in its
  // slot. The scope keeps the group, and `CoScope.run` the scope, until the last element has left; none touches either
  // after. Counting references on two threads at once is what they would spend most of their time with.
  let count: Int
  /// Runs an element on its fiber; it captures nothing.
  let run: @Sendable (AnyMapGroup, Int) -> Void
  private let scope: Unmanaged<CoScope>
  /// What is bound where the group is made, for its elements.
  private let locals = LocalBindings.current
  private let slots: UnsafeMutablePointer<Slot>
  private let remaining: Atomic<Int>

  @usableFromInline init(count: Int, scope: CoScope, run: @escaping @Sendable (AnyMapGroup, Int) -> Void) {
    self.count = count
    self.scope = Unmanaged.passUnretained(scope)
    self.run = run
    remaining = Atomic(count)
    slots = .allocate(capacity: count)
    for index in 0..<count { (slots + index).initialize(to: Slot()) }
  }

  deinit {
    slots.deinitialize(count: count)
    slots.deallocate()
  }

  /// Starts an element on this thread, on behalf of its scope's scheduler if it has one.
  func start(_ index: Int, on scheduler: (any CoroutineScheduler)?) {
    let thread = context_thread_current()
    guard let fiber = FiberPool.take(stackByteCount: FiberPool.standardStackByteCount, on: thread) else {
      fail(CoroutineError.outOfStacks)
      leave()
      return
    }
    fiber.begin(
      index, of: self, scheduler: scheduler, locals: locals.map { Unmanaged.passRetained($0).toOpaque() })
    slots[index].life = fiber.pointee.life
    slots[index].fiber.store(UInt(bitPattern: fiber), ordering: .releasing)
    if scheduler != nil {
      // Another thread may have failed the scope and missed this element: each side reads after its own write.
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if hasFailed { fiber.cancel(life: slots[index].life) }
    }
    fiber.drive(on: thread)
  }

  /// Cancels the elements that are under way, in the order in which they stand.
  func cancelStarted(_ list: inout CancellationList) {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    for index in (0..<count).reversed() where fiber(at: index) != nil { list.push(.element(index, of: self)) }
  }

  /// Cancels an element that has been started.
  func cancelElement(_ index: Int, _ list: inout CancellationList) {
    fiber(at: index)?.cancel(life: slots[index].life, &list)
  }

  /// An element's error is its scope's.
  @usableFromInline final func fail(_ error: any Error) {
    scope._withUnsafeGuaranteedRef { $0.fail(error) }
  }

  /// Fetches what resuming the next elements will touch into this processor's caches: the fiber of one four ahead, and the
  /// stack of one two ahead. Answers usually come in about the order of the questions; else this is in vain.
  private func prefetch(after index: Int) {
    fiber(at: index + 4)?.prefetchFiber()
    fiber(at: index + 2)?.prefetchStack()
  }

  private func fiber(at index: Int) -> FiberPointer? {
    index < count ? FiberPointer(bitPattern: slots[index].fiber.load(ordering: .acquiring)) : nil
  }

  /// An element is done.
  func leave(_ index: Int) {
    prefetch(after: index)
    leave()
  }

  private func leave() { scope._withUnsafeGuaranteedRef { $0.elementLeft(self) } }

  /// Says that elements are done or will never start; true for the one who says it of the last.
  func countDown(_ count: Int = 1) -> Bool {
    remaining.subtract(count, ordering: .acquiringAndReleasing).newValue == 0
  }

  var hasFailed: Bool {
    scope._withUnsafeGuaranteedRef { $0.hasFailed.load(ordering: .sequentiallyConsistent) }
  }
}

@usableFromInline final class MapGroup<Element: Sendable, Value: Sendable>: AnyMapGroup, @unchecked Sendable {
  @usableFromInline let elements: [Element]
  @usableFromInline let transform: @Sendable (Element) throws -> Value
  // Invariant: one slot for each element, whose coroutine alone writes it; read when all have left. Allocated in init,
  // freed in deinit, initialised in between.
  @usableFromInline let results: UnsafeMutableBufferPointer<Value?>

  @inlinable init(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Value, scope: CoScope
  ) {
    self.elements = elements
    self.transform = transform
    results = .allocate(capacity: elements.count)
    results.initialize(repeating: nil)
    super.init(count: elements.count, scope: scope) { group, index in
      let group = unsafeDowncast(group, to: MapGroup<Element, Value>.self)
      do {
        group.results[index] = try group.transform(group.elements[index])
      } catch {
        group.fail(error)
      }
    }
  }

  @inlinable deinit {
    results.deinitialize()
    results.deallocate()
  }
}

extension CoScope {
  /// Runs the bodies at once and returns the first result that comes: the others are cancelled then, and have ended when
  /// this returns; inside a coroutine.
  ///
  /// The last body runs on the calling coroutine, the others on their own. Each begins here, when those before it have
  /// suspended or ended, and resumes on the caller's scheduler.
  ///
  /// - Throws: `AllFuturesFailed`, with the errors in the order of the bodies, if none has a result, and
  ///   `CancellationError` if the calling coroutine is cancelled.
  public static func any<Value: Sendable>(_ bodies: (@Sendable () throws -> Value)...) throws -> Value {
    guard let last = bodies.last else { throw AllFuturesFailed(errors: []) }
    let errors: [any Error]
    do {
      errors = try run(on: FiberPointer.current(for: "CoScope.any").pointee.scheduler) { scope in
        let others = try bodies.dropLast().map { body in try scope.asyncHere { try error(of: body) } }
        // Over already, if one has its result.
        try Coroutine.checkCancellation()
        let lastError = try error(of: last)
        return try others.map { try $0.await() } + [lastError]
      }
    } catch let won as Won<Value> {
      return won.value
    }
    throw AllFuturesFailed(errors: errors)
  }

  /// What the body throws; throws its result, which ends the scope.
  private static func error<Value: Sendable>(of body: () throws -> Value) throws -> any Error {
    let value: Value
    do { value = try body() } catch { return error }
    throw Won(value: value)
  }
}

/// The first result, as what ends a scope.
private struct Won<Value: Sendable>: Error { let value: Value }
