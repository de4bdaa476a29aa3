import CStackLocals
import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Notifies waiters: at once or, inside a callback, when the running callback has returned.
  @usableFromInline final func deliver(_ waiters: StateWord) {
    if waiters == .noWaiters { return }
    let queue = DeliveryQueue.current
    if queue.pointee.isActive {
      queue.deliverLater(self, waiters)
    } else {
      queue.pointee.isActive = true
      flush(waiters, queue)
      queue.finishOutermost()
    }
  }

  /// Calls all waiters of this complete future, in order of registration.
  @inline(__always) final func flush(_ waiters: StateWord, _ queue: UnsafeMutablePointer<DeliveryQueue>) {
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
      if let waiters = node.react(to: self) { queue.pointee.append(.init(flushing: node, waiters)) }
    }
  }

  /// Calls the callback in the slot, which the registering thread may still be writing.
  private final func runCallback() {
    if !isCallbackReady.load(ordering: .acquiring) {
      SpinWait.until { isCallbackReady.load(ordering: .acquiring) }
    }
    _ = step(self, self)
  }

  /// Lets a node react to this complete future: now, or after the callback that is running on this thread.
  @usableFromInline final func react(_ node: AnyFuture) {
    let queue = DeliveryQueue.current
    if queue.pointee.isActive {
      queue.pointee.append(.init(reacting: .passRetained(node), to: .passRetained(self)))
      return
    }
    queue.pointee.isActive = true
    if node.role == .chaining {
      let reference = Unmanaged.passRetained(node)
      if let waiters = reference.react(to: self) {
        node.flush(waiters, queue)
        reference.release()
      }
    } else {
      // Such a step does not keep the reference, so the caller's is enough.
      let waiters = node.step(node, self)
      if waiters != .noWaiters { node.flush(waiters, queue) }
    }
    queue.finishOutermost()
  }
}

extension Unmanaged where Instance == AnyFuture {
  /// Runs a node's step. Takes over this reference to the node, unless there are waiters to notify.
  func react(to source: AnyFuture) -> StateWord? {
    noteWhetherShared()
    let waiters = _withUnsafeGuaranteedRef { $0.step($0, source) }
    if waiters == .referenceKept { return nil }
    if waiters != .noWaiters { return waiters }
    release()
    return nil
  }

  /// Records for a chaining node, before its step, whether this reference is the only one to it.
  func noteWhetherShared() {
    guard _withUnsafeGuaranteedRef({ $0.role == .chaining }) else { return }
    let isUnique = isUnique
    _withUnsafeGuaranteedRef { $0.isUnshared = isUnique }
  }

  /// Runs a receiver's step, and releases the receiver's own reference with the last of its sources.
  @usableFromInline func receive(_ source: AnyFuture) {
    let waiters = _withUnsafeGuaranteedRef { $0.step($0, source) }
    if waiters == .receiverEnded { release() }
  }
}

extension AnyFuture {
  /// Wins the right to write the result, for futures with more than one possible producer: the state before, nil if the future
  /// is settled. The winner runs no foreign code until it publishes: other threads wait for it.
  @inlinable final func claim() -> StateWord? { settle(as: StateWord.claimed) }

  /// Makes the written result visible and notifies waiters. Only for the winner of the claim.
  @inlinable final func publish(after old: StateWord) {
    keepRetainsAhead()
    state.store(StateWord.answered, ordering: .releasing)
    if old.bits != StateWord.pending { deliverWaiters(of: old) }
  }

  @usableFromInline final func deliverWaiters(of old: StateWord) { deliver(takeWaiters(of: old)) }

  /// Makes a step's result visible, unless the node has been cancelled meanwhile, and returns the waiters to notify. A step is
  /// the only producer of its node, so one exchange is enough.
  @inlinable final func publishFromStep() -> StateWord {
    if let old = settle(as: StateWord.answered) {
      return old.bits == StateWord.pending ? .noWaiters : takeWaiters(of: old)
    }
    // The source must stay alive while the canceller retains it.
    awaitCompletion()
    return .noWaiters
  }

  @inlinable final func failFromStep(_ error: any Error) -> StateWord {
    write(error)
    return publishFromStep()
  }

  /// Stores an error as the outcome. Only for the producer, before it publishes.
  @inlinable final func write(_ error: any Error) {
    storage.put(error, as: (any Error).self)
    outcome = .error
  }

  /// The waiters in the state before completion; ends the cancel handler first.
  @inlinable final func takeWaiters(of old: StateWord) -> StateWord {
    if old.has(StateWord.handler) { takeCancelHandler() }
    // A thread that withdraws observers has them in hand, and will find the future complete.
    return StateWord(bits: old.bits & ~(StateWord.handler | StateWord.withdrawing))
  }

  /// Completes with an error if the future is not settled; else waits until it is complete.
  @inlinable @discardableResult final func fail(_ error: any Error) -> Bool {
    guard let old = claim() else {
      awaitCompletion()
      return false
    }
    write(error)
    publish(after: old)
    return true
  }

  /// Whether a complete future has a value.
  @inlinable @inline(__always) final var hasValue: Bool {
    state.load(ordering: .relaxed) == StateWord.answered && outcome != .error
  }

  /// The error of a complete future, nil if it has a value.
  @inlinable final var failure: (any Error)? { hasValue ? nil : completedError }

  /// The error of a complete future that has no value.
  @usableFromInline final var completedError: any Error {
    isCancelled ? CancellationError() : storage.load(as: (any Error).self)
  }
}

/// The deliveries that callbacks running on this stack have caused, first in first out.
///
/// A completion inside a callback leaves its observers here; the outermost delivery on the stack calls them when the callback
/// has returned, so a chain of any length runs in constant stack. A coroutine's queue belongs to its own stack.
struct DeliveryQueue: ~Copyable {
  /// One delivery: flush a future, or run a node's step for one. It owns a reference to each.
  struct Entry {
    let target: Unmanaged<AnyFuture>
    /// The observers to deliver to; or the source, marked with a flag that no observers have.
    private let bits: UInt

    private static let sourceMark = StateWord.withdrawing

    /// The target notifies these waiters.
    init(flushing target: Unmanaged<AnyFuture>, _ waiters: StateWord) {
      self.target = target
      bits = waiters.bits
    }

    /// The target reacts to the source.
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
  /// Runs `cancel` now or, with too many combinations nested in each other, on this thread after the outermost one's own part.
  func cancelInTurn(_ cancel: @escaping () -> Void) {
    // A queue never moves.
    let nesting = withUnsafeMutablePointer(to: &pointee.cancellations) { $0 }
    nesting.run(cancel)
  }

  /// Makes all deliveries that are left, and those that they cause. Does not touch the pointee across a callback, which may
  /// append.
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

  /// Makes the deliveries that the outermost one has caused, and ends it.
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
  /// The queue of the running stack, a thread's or a coroutine's: made on first use and freed with the stack.
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
