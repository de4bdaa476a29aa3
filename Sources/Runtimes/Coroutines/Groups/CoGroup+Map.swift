import CContextSwitch
import Synchronization

extension CoGroup {
  /// Runs a coroutine for each element, all concurrently or as many as the group's limit allows. Waits for every coroutine of
  /// the group, and returns the results in the order of the elements. Only the group's owner may call `map`. It is cheaper than
  /// `async` and `await` for each element, because its coroutines have no futures and share one entry in the group.
  ///
  /// - Throws: the group's error, such as the first that `transform` throws.
  @inlinable public func map<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Value
  ) throws -> [Value] {
    if elements.isEmpty { return [] }
    let mapping = Mapping(elements, transform, group: self)
    try start(mapping)
    try waitForChildren()
    // Without an error every slot has a result.
    return elements.indices.map { mapping.results[$0].unsafelyUnwrapped }
  }
}

extension CoGroup {
  @usableFromInline func start(_ mapping: AnyMapping) throws {
    lock.lock()
    if let firstError {
      lock.unlock()
      throw firstError
    }
    precondition(
      self.mapping == nil && FiberPointer.currentIfAny == owner,
      "call a group's map only on the coroutine that called CoGroup.run, and only one map at a time")
    self.mapping = mapping
    if !isLimited { count += 1 }
    lock.unlock()
    var started = 0
    var failure: (any Error)?
    // Once the group has failed, no further element starts.
    while started < mapping.count, !hasFailed.load(ordering: .relaxed) {
      do { if isLimited { try admitElement() } } catch {
        failure = error
        break
      }
      start(started, of: mapping)
      started += 1
    }
    // A thread that fails the group at this moment may have missed the elements that started last.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if hasFailed.load(ordering: .relaxed) {
      CancellationList.run { mapping.cancelStarted(&$0) }
    }
    if started < mapping.count { leave(mapping, count: mapping.count - started) }
    if let failure { throw failure }
  }

  private var isLimited: Bool { limit < .max }

  private func start(_ index: Int, of mapping: AnyMapping) {
    guard let scheduler else {
      mapping.start(index, on: nil)
      return
    }
    let start = ScheduledElement(index, of: mapping, on: scheduler)
    scheduler.scheduleTask { start.run() }
  }

  /// Waits until a group with a limit has room, then counts an element as started.
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

  func elementLeft(_ mapping: AnyMapping) {
    if !isLimited {
      leave(mapping, count: 1)
      return
    }
    lock.lock()
    if mapping.countDown() { self.mapping = nil }
    childLeft()
  }

  /// Counts `count` elements that have ended or will never start.
  private func leave(_ mapping: AnyMapping, count: Int) {
    guard mapping.countDown(count) else { return }
    lock.lock()
    self.mapping = nil
    if isLimited { lock.unlock() } else { childLeft() }
  }
}

/// An element of a `map` that its scheduler will start. If the scheduler releases it unstarted, the group fails.
private final class ScheduledElement: @unchecked Sendable {
  // Invariant: each element ends, whether the scheduler runs or releases it. Until all have ended, the group retains `mapping`.
  private unowned(unsafe) let mapping: AnyMapping
  private let scheduler: any CoroutineScheduler
  private let index: Int
  private var hasRun = false

  init(_ index: Int, of mapping: AnyMapping, on scheduler: any CoroutineScheduler) {
    self.mapping = mapping
    self.scheduler = scheduler
    self.index = index
  }

  deinit {
    if hasRun { return }
    mapping.fail(CoroutineError.dropped)
    mapping.leave()
  }

  func run() {
    if hasRun { return }
    hasRun = true
    if mapping.hasFailed { mapping.leave() } else { mapping.start(index, on: scheduler) }
  }
}

/// One call of `map`, without its generic types. Its coroutines have no futures.
@usableFromInline class AnyMapping: @unchecked Sendable {
  /// The fiber that runs an element, and that fiber's `life` when the element started.
  private struct Slot: ~Copyable {
    // Invariant: `life` is written before `fiber`, and each is written once.
    let fiber = Atomic<UInt>(0)
    var life: UInt64 = 0
  }

  // Invariant: non-atomic fields are written in init, or by the thread that starts an element before it stores the fiber. The
  // group retains this object, and `CoGroup.run` the group, until the last element has ended. `Unmanaged`, because reference
  // counting on several threads would take most of the time.
  let count: Int
  /// Runs the element with this index. The closure captures nothing.
  let run: @Sendable (AnyMapping, Int) -> Void
  private let group: Unmanaged<CoGroup>
  private let slots: UnsafeMutablePointer<Slot>
  private let remaining: Atomic<Int>

  @usableFromInline init(count: Int, group: CoGroup, run: @escaping @Sendable (AnyMapping, Int) -> Void) {
    self.count = count
    self.group = Unmanaged.passUnretained(group)
    self.run = run
    remaining = Atomic(count)
    slots = .allocate(capacity: count)
    for index in 0..<count { (slots + index).initialize(to: Slot()) }
  }

  deinit {
    slots.deinitialize(count: count)
    slots.deallocate()
  }

  /// Starts an element on this thread. `scheduler` is the group's, if the group has one.
  func start(_ index: Int, on scheduler: (any CoroutineScheduler)?) {
    let thread = context_thread_current()
    guard let fiber = FiberPool.take(stackByteCount: FiberPool.standardStackByteCount, on: thread) else {
      fail(CoroutineError.outOfStacks)
      leave()
      return
    }
    fiber.begin(index, of: self, scheduler: scheduler)
    slots[index].life = fiber.pointee.life
    slots[index].fiber.store(UInt(bitPattern: fiber), ordering: .releasing)
    if scheduler != nil {
      // A thread that fails the group writes `hasFailed` and then reads the fibers; this thread wrote the fiber and then reads
      // `hasFailed`. So at least one of the two cancels this element.
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if hasFailed { fiber.cancel(life: slots[index].life) }
    }
    fiber.drive(on: thread)
  }

  func cancelStarted(_ list: inout CancellationList) {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    for index in (0..<count).reversed() where fiber(at: index) != nil { list.push(.element(index, of: self)) }
  }

  func cancelElement(_ index: Int, _ list: inout CancellationList) {
    fiber(at: index)?.cancel(life: slots[index].life, &list)
  }

  @usableFromInline final func fail(_ error: any Error) { group._withUnsafeGuaranteedRef { $0.fail(error) } }

  /// Prefetches cache lines for the next resumptions: of the fiber four elements ahead, and of the stack two elements ahead.
  /// This helps if answers arrive in about the order of the requests.
  private func prefetch(after index: Int) {
    fiber(at: index + 4)?.prefetchFiber()
    fiber(at: index + 2)?.prefetchStack()
  }

  private func fiber(at index: Int) -> FiberPointer? {
    index < count ? FiberPointer(bitPattern: slots[index].fiber.load(ordering: .acquiring)) : nil
  }

  func leave(_ index: Int) {
    prefetch(after: index)
    leave()
  }

  /// Counts an element that has ended, or will never start.
  fileprivate func leave() { group._withUnsafeGuaranteedRef { $0.elementLeft(self) } }

  /// Counts elements that have ended or will never start. Returns true for the last one.
  func countDown(_ count: Int = 1) -> Bool {
    remaining.subtract(count, ordering: .acquiringAndReleasing).newValue == 0
  }

  var hasFailed: Bool {
    group._withUnsafeGuaranteedRef { $0.hasFailed.load(ordering: .sequentiallyConsistent) }
  }
}

@usableFromInline final class Mapping<Element: Sendable, Value: Sendable>: AnyMapping, @unchecked Sendable {
  @usableFromInline let elements: [Element]
  @usableFromInline let transform: @Sendable (Element) throws -> Value
  // Invariant: `results` is allocated in init, freed in deinit and initialised in between. Only an element's coroutine writes
  // its slot, and the slots are read after all elements have left.
  @usableFromInline let results: UnsafeMutableBufferPointer<Value?>

  @inlinable init(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Value, group: CoGroup
  ) {
    self.elements = elements
    self.transform = transform
    results = .allocate(capacity: elements.count)
    results.initialize(repeating: nil)
    super.init(count: elements.count, group: group) { mapping, index in
      let mapping = unsafeDowncast(mapping, to: Mapping<Element, Value>.self)
      do {
        mapping.results[index] = try mapping.transform(mapping.elements[index])
      } catch {
        mapping.fail(error)
      }
    }
  }

  @inlinable deinit {
    results.deinitialize()
    results.deallocate()
  }
}

extension CoGroup {
  /// Runs the bodies concurrently and returns the first result. Cancels the others, and waits until they have ended. Call it
  /// inside a coroutine.
  ///
  /// The last body runs on the calling coroutine, each other body on its own coroutine. A body begins on this thread when the
  /// bodies before it have suspended or ended, and resumes on the caller's scheduler.
  ///
  /// - Throws: `AllFuturesFailed` if no body has a result, with the errors in the order of the bodies. `CancellationError` if
  ///   the calling coroutine is cancelled.
  public static func any<Value: Sendable>(_ bodies: [@Sendable () throws -> Value]) throws -> Value {
    guard let last = bodies.last else { throw AllFuturesFailed(errors: []) }
    let errors: [any Error]
    do {
      errors = try run(on: FiberPointer.current().pointee.scheduler) { group in
        let others = try bodies.dropLast().map { body in try group.asyncHere { try error(of: body) } }
        // This throws if another body already has a result.
        try Coroutine.checkCancellation()
        let lastError = try error(of: last)
        return try others.map { try $0.await() } + [lastError]
      }
    } catch let won as Won<Value> {
      return won.value
    }
    throw AllFuturesFailed(errors: errors)
  }

  /// Runs the bodies concurrently and returns the first result, like the overload that takes an array.
  public static func any<Value: Sendable>(_ bodies: (@Sendable () throws -> Value)...) throws -> Value {
    try any(bodies)
  }

  /// Returns the body's error. If the body has a result, throws the result as a `Won`, which ends the group.
  private static func error<Value: Sendable>(of body: () throws -> Value) throws -> any Error {
    let value: Value
    do { value = try body() } catch { return error }
    throw Won(value: value)
  }
}

/// The first result of `any`, thrown as an error to end the group.
private struct Won<Value: Sendable>: Error { let value: Value }

/// Every body given to `any` failed.
///
/// An error may itself be an `AllFuturesFailed`, nested to any depth. Freeing them takes a bounded amount of stack.
public struct AllFuturesFailed: Error, CustomStringConvertible {
  private let storage: Storage

  /// The errors, in the order of the bodies.
  public var errors: [any Error] { storage.errors }

  public var description: String { "all failed: \(errors)" }

  init(errors: [any Error]) { storage = Storage(errors) }

  /// A list that frees nested errors without recursion. `ErrorList` would make every later switch of coroutines slower.
  ///
  /// `@unchecked Sendable`: only init writes `errors`, and deinit of this object or of the only object that refers to it.
  private final class Storage: @unchecked Sendable {
    var errors: [any Error]

    init(_ errors: [any Error]) { self.errors = errors }

    deinit {
      while !errors.isEmpty {
        guard var inner = takeLast(), isKnownUniquelyReferenced(&inner) else { continue }
        errors += inner.errors
        inner.errors = []
      }
    }

    /// This is a separate function, so that the error is released when the function returns.
    private func takeLast() -> Storage? { (errors.removeLast() as? AllFuturesFailed)?.storage }
  }
}
