import CStackLocals
import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Tells those who wait, at once or (inside a callback) when the running callback has returned.
  @usableFromInline
  final func deliver(_ waiters: StateWord) {
    if waiters == .nobody { return }
    let queue = DeliveryQueue.current
    if queue.pointee.isActive {
      queue.deliverLater(self, waiters)
    } else {
      queue.pointee.isActive = true
      flush(waiters, queue)
      queue.finishOutermost()
    }
  }

  /// Calls everybody who waits for this complete future, in order of registration.
  @inline(__always)
  final func flush(_ waiters: StateWord, _ queue: UnsafeMutablePointer<DeliveryQueue>) {
    if waiters.has(StateWord.callback) { runCallback() }
    let observers = waiters.observers
    if observers.isNode {
      flush(observers, queue)
    } else if observers.isReceiver {
      observers.target.receive(self)
    }
  }

  private final func flush(_ observers: ObserverLink, _ queue: UnsafeMutablePointer<DeliveryQueue>) {
    var newest = observers
    var oldest = ObserverLink.end
    while newest.isNode {
      let node = newest
      node.target._withUnsafeGuaranteedRef {
        newest = $0.link
        $0.link = oldest
      }
      oldest = node
    }
    if newest.isReceiver { newest.target.receive(self) }
    while oldest.isNode {
      let node = oldest.target
      node._withUnsafeGuaranteedRef {
        oldest = $0.link
        $0.link = .end
      }
      if let told = node.react(to: self) { queue.pointee.append(.init(flushing: node, told)) }
    }
  }

  /// Calls the callback in the slot, which the owner of the slot may still be writing.
  private final func runCallback() {
    if !isCallbackReady.load(ordering: .acquiring) {
      SpinWait.until { isCallbackReady.load(ordering: .acquiring) }
    }
    _ = step(self, self)
  }

  /// Lets a node react to this complete future: now, or after the callback that is running on this thread.
  @usableFromInline
  final func react(_ node: AnyFuture) {
    let queue = DeliveryQueue.current
    if queue.pointee.isActive {
      queue.pointee.append(.init(reacting: .passRetained(node), to: .passRetained(self)))
      return
    }
    queue.pointee.isActive = true
    if node.role == .chaining {
      let reference = Unmanaged.passRetained(node)
      if let told = reference.react(to: self) {
        node.flush(told, queue)
        reference.release()
      }
    } else {
      // Such a step does not keep the reference, so the caller's will do.
      let told = node.step(node, self)
      if told != .nobody { node.flush(told, queue) }
    }
    queue.finishOutermost()
  }
}

extension Unmanaged where Instance == AnyFuture {
  /// Runs a node's step. Takes over this reference to the node, unless there is somebody to tell.
  func react(to source: AnyFuture) -> StateWord? {
    noteWhetherShared()
    let told = _withUnsafeGuaranteedRef { $0.step($0, source) }
    if told == .referenceKept { return nil }
    if told != .nobody { return told }
    release()
    return nil
  }

  /// Tells a chaining node, before its step, whether this reference is the only one to it.
  func noteWhetherShared() {
    guard _withUnsafeGuaranteedRef({ $0.role == .chaining }) else { return }
    let isUnique = isUnique
    _withUnsafeGuaranteedRef { $0.isUnshared = isUnique }
  }

  /// Runs a receiver's step, and lets go of the receiver's own reference with the last of its sources.
  @usableFromInline
  func receive(_ source: AnyFuture) {
    let told = _withUnsafeGuaranteedRef { $0.step($0, source) }
    if told == .receiverEnded { release() }
  }
}

extension AnyFuture {
  /// Wins the right to write the result, for futures with more than one possible producer: the state before, nil if
  /// somebody else has completed the future. The holder runs no foreign code until it publishes: others wait for it.
  @inlinable
  final func claim() -> StateWord? { settle(as: StateWord.claimed) }

  /// Makes the written result visible and tells everybody. Only for the holder of the claim.
  @inlinable
  final func publish(after old: StateWord) {
    keepRetainsAhead()
    state.store(StateWord.answered, ordering: .releasing)
    if old.bits != StateWord.pending { tell(old) }
  }

  @usableFromInline
  final func tell(_ old: StateWord) { deliver(takeWaiters(of: old)) }

  /// Makes the result written by a step visible, unless the node has been cancelled meanwhile, and returns whom to tell.
  /// A step is the only producer of its node, so one exchange is enough.
  @inlinable
  final func publishFromStep() -> StateWord {
    if let old = settle(as: StateWord.answered) {
      return old.bits == StateWord.pending ? .nobody : takeWaiters(of: old)
    }
    // The source must not go away while the canceller reaches for it.
    awaitCompletion()
    return .nobody
  }

  @inlinable
  final func failFromStep(_ error: any Error) -> StateWord {
    write(error)
    return publishFromStep()
  }

  /// Stores an error as the outcome. Only for the producer, before it publishes.
  @inlinable
  final func write(_ error: any Error) {
    storage.put(error, as: (any Error).self)
    outcome = .error
  }

  /// Those who are to be told, from the state before completion; the cancel handler has had its turn then.
  @inlinable
  final func takeWaiters(of old: StateWord) -> StateWord {
    if old.has(StateWord.handler) { takeCancelHandler() }
    // Observers in the hand of a withdrawing thread are its business: it will find the future complete.
    return StateWord(bits: old.bits & ~(StateWord.handler | StateWord.withdrawing))
  }

  /// Completes with an error if nothing has completed or claimed the future yet; else waits until that is done.
  @inlinable
  @discardableResult
  final func fail(_ error: any Error) -> Bool {
    guard let old = claim() else {
      awaitCompletion()
      return false
    }
    write(error)
    publish(after: old)
    return true
  }

  /// Whether a complete future has a value.
  @inlinable @inline(__always)
  final var hasValue: Bool {
    state.load(ordering: .relaxed) == StateWord.answered && outcome != .error
  }

  /// The error of a complete future, nil if it has a value.
  @inlinable
  final var failure: (any Error)? { hasValue ? nil : completedError }

  /// The error of a complete future that has no value.
  @usableFromInline
  final var completedError: any Error {
    isCancelled ? CancellationError() : storage.load(as: (any Error).self)
  }
}

/// What the callbacks that are running on this stack have caused and what still has to be told, first in first out.
///
/// A completion inside a callback leaves its observers here, and the outermost delivery on the stack calls them when the
/// callback has returned: so a chain of any length runs in constant stack. A coroutine has a stack of its own, and takes
/// the queue along when a callback suspends it.
struct DeliveryQueue: ~Copyable {
  /// One thing to do: flush a future, or let a node react to one. It owns a reference to each.
  struct Entry {
    let target: Unmanaged<AnyFuture>
    /// The observers to deliver to; or the source, marked with a flag that no observers have.
    private let bits: UInt

    private static let sourceMark = StateWord.withdrawing

    /// The target is to tell these.
    init(flushing target: Unmanaged<AnyFuture>, _ waiters: StateWord) {
      self.target = target
      bits = waiters.bits
    }

    /// The target is to react to the source.
    init(reacting target: Unmanaged<AnyFuture>, to source: Unmanaged<AnyFuture>) {
      self.target = target
      bits = source.address | Self.sourceMark
    }

    var source: Unmanaged<AnyFuture>? { bits & Self.sourceMark == 0 ? nil : .at(bits & ~Self.sourceMark) }
    var waiters: StateWord { StateWord(bits: bits) }
  }

  /// A delivery is running on this stack.
  var isActive = false
  private var entries = RingBuffer<Entry>()

  /// Combinations that cancel combinations.
  fileprivate var cancellations = Nesting()

  /// The capacity that an idle stack keeps; a larger buffer is freed.
  private static let keptCapacity = 1024

  /// Takes over one retain of the target and one of the source.
  mutating func append(_ entry: Entry) { entries.append(entry) }

  var isEmpty: Bool { entries.isEmpty }

  mutating func popFirst() -> Entry? { entries.isEmpty ? nil : entries.removeFirst() }

  mutating func freeLargeBuffer() { if entries.capacity > Self.keptCapacity { entries = RingBuffer() } }
}

extension UnsafeMutablePointer<DeliveryQueue> {
  /// Cancels what a combination waits for, or goes on when that is done: now or, with too many combinations within each
  /// other, when the outermost of them has done its own part, on this thread.
  func cancelInTurn(_ cancel: @escaping () -> Void) {
    // A queue never moves.
    let nesting = withUnsafeMutablePointer(to: &pointee.cancellations) { $0 }
    guard nesting.enter() else { return nesting.later(cancel) }
    cancel()
    nesting.leave()
  }

  /// Does everything that is left, including what that causes.
  ///
  /// The pointee is only touched between callbacks, never across one, so callbacks may append.
  func drain() {
    while let entry = pointee.popFirst() {
      var waiters = Optional(entry.waiters)
      if let source = entry.source {
        waiters = source._withUnsafeGuaranteedRef { entry.target.react(to: $0) }
        source.release()
      }
      if let waiters {
        entry.target._withUnsafeGuaranteedRef { $0.flush(waiters, self) }
        entry.target.release()
      }
    }
    pointee.freeLargeBuffer()
  }

  /// Does what the outermost delivery of this stack has caused, and ends it.
  @inline(__always) func finishOutermost() {
    if !pointee.isEmpty { drain() }
    pointee.isActive = false
  }

  /// Not inlined: most deliveries are the outermost.
  @inline(never) func deliverLater(_ future: AnyFuture, _ waiters: StateWord) {
    pointee.append(.init(flushing: .passRetained(future), waiters))
  }
}

extension DeliveryQueue {
  /// That of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
  static var current: UnsafeMutablePointer<DeliveryQueue> {
    if let address = stack_local(CInt(stack_local_deliveries)) {
      return address.assumingMemoryBound(to: DeliveryQueue.self)
    }
    let made = UnsafeMutablePointer<DeliveryQueue>.allocate(capacity: 1)
    made.initialize(to: DeliveryQueue())
    stack_local_set(CInt(stack_local_deliveries), made) { address in
      let queue = address!.assumingMemoryBound(to: DeliveryQueue.self)
      queue.deinitialize(count: 1)
      queue.deallocate()
    }
    return made
  }
}
