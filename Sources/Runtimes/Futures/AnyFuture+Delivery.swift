import CStackLocals
import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Notifies the waiters of this complete future: now or, if a callback is running on this stack, after that has returned.
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

  /// Notifies all waiters of this complete future, in order of registration.
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

  /// Calls the stored callback. If another thread is still storing the callback, first waits for that thread.
  private final func runCallback() {
    if !isCallbackReady.load(ordering: .acquiring) {
      SpinWait.until { isCallbackReady.load(ordering: .acquiring) }
    }
    _ = step(self, self)
  }

  /// Runs the reaction of `node` to this complete future: now or, if this is called inside a callback, after that has returned.
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
      // Only the step of a `chaining` node may keep a reference to it. For other nodes, the caller's reference is enough.
      let waiters = node.step(node, self)
      if waiters != .noWaiters { node.flush(waiters, queue) }
    }
    queue.finishOutermost()
  }
}

extension Unmanaged where Instance == AnyFuture {
  /// Calls a derived future's `step` for its complete source. Returns the waiters, or `nil` after consuming this reference.
  func react(to source: AnyFuture) -> StateWord? {
    noteWhetherShared()
    let waiters = _withUnsafeGuaranteedRef { $0.step($0, source) }
    if waiters == .referenceKept { return nil }
    if waiters != .noWaiters { return waiters }
    release()
    return nil
  }

  /// For a future whose role is `chaining`: records, before its step, whether this is the only reference to the future.
  func noteWhetherShared() {
    guard _withUnsafeGuaranteedRef({ $0.role == .chaining }) else { return }
    let isUnique = isUnique
    _withUnsafeGuaranteedRef { $0.isUnshared = isUnique }
  }

  /// Calls a combination's `step` for a complete source. After the last source, releases the combination's reference to itself.
  @usableFromInline func receive(_ source: AnyFuture) {
    let waiters = _withUnsafeGuaranteedRef { $0.step($0, source) }
    if waiters == .receiverEnded { release() }
  }
}

extension AnyFuture {
  /// Tries to become the one thread that writes the result. Returns the previous state, or `nil` if the future is not pending.
  ///
  /// After success, the thread must not call the user's code before `publish`, because other threads wait for `publish`.
  @inlinable final func claim() -> StateWord? { settle(as: StateWord.claimed) }

  /// Makes the written result visible and notifies waiters. Only for the thread whose `claim` succeeded.
  @inlinable final func publish(after old: StateWord) {
    keepRetainsAhead()
    state.store(StateWord.answered, ordering: .releasing)
    if old.bits != StateWord.pending { deliverWaiters(of: old) }
  }

  @usableFromInline final func deliverWaiters(of old: StateWord) { deliver(takeWaiters(of: old)) }

  /// Completes a future with the result that its step (the reaction to its source) has written, unless the future was
  /// cancelled. Returns the waiters to notify. Needs no `claim`, because the step is the only producer.
  @inlinable final func publishFromStep() -> StateWord {
    if let old = settle(as: StateWord.answered) {
      return old.bits == StateWord.pending ? .noWaiters : takeWaiters(of: old)
    }
    // The future is cancelled. The caller keeps the source alive until the cancelling thread has retained the source.
    awaitCompletion()
    return .noWaiters
  }

  @inlinable final func failFromStep(_ error: any Error) -> StateWord {
    write(error)
    return publishFromStep()
  }

  /// Stores an error as the outcome. The caller must then call `publish`, or in a future's `step` `publishFromStep`.
  @inlinable final func write(_ error: any Error) {
    storage.put(error, as: (any Error).self)
    outcome = .error
  }

  /// Releases the cancel handler, after calling it on a cancellation. Returns the waiters in `old`, the previous state.
  @inlinable final func takeWaiters(of old: StateWord) -> StateWord {
    if old.has(StateWord.handler) { takeCancelHandler() }
    // While the `withdrawing` flag is set, another thread owns the observers and notifies them itself.
    return StateWord(bits: old.bits & ~(StateWord.handler | StateWord.withdrawing))
  }

  /// Completes the future with an error. If another thread is completing it, waits for that thread and returns false.
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

  /// The error of a complete future, or `nil` if the future has a value.
  @inlinable final var failure: (any Error)? { hasValue ? nil : completedError }

  /// The error of a complete future that has no value.
  @usableFromInline final var completedError: any Error {
    isCancelled ? CancellationError() : storage.load(as: (any Error).self)
  }
}

/// A queue of the notifications for futures that were completed inside callbacks on this stack.
///
/// The outermost notification on the stack sends those in the queue after its callback has returned, so a chain of any length
/// runs in constant stack. Each thread and each coroutine has its own queue.
struct DeliveryQueue: ~Copyable {
  /// Either notifies the waiters of `target`, or runs the reaction of `target` to its source. Owns references to both futures.
  struct Entry {
    let target: Unmanaged<AnyFuture>
    /// The waiters to notify or, if the bit `sourceMark` is set, the address of the source.
    private let bits: UInt

    private static let sourceMark = StateWord.withdrawing

    init(flushing target: Unmanaged<AnyFuture>, _ waiters: StateWord) {
      self.target = target
      bits = waiters.bits
    }

    init(reacting target: Unmanaged<AnyFuture>, to source: Unmanaged<AnyFuture>) {
      self.target = target
      bits = source.address | Self.sourceMark
    }

    var source: Unmanaged<AnyFuture>? { bits & Self.sourceMark == 0 ? nil : .at(bits & ~Self.sourceMark) }
    var waiters: StateWord { StateWord(bits: bits) }
  }

  /// Whether waiters are being notified on this stack.
  var isActive = false
  fileprivate var entries = RingBuffer<Entry>()

  /// Limits how deep cancellations nest if combinations of futures are sources of other combinations.
  fileprivate var cancellations = Nesting()

  /// The largest capacity of the buffer that an empty queue keeps.
  fileprivate static let keptCapacity = 1024

  mutating func append(_ entry: Entry) { entries.append(entry) }
}

extension UnsafeMutablePointer<DeliveryQueue> {
  /// Cancels the sources of a combination of futures: now or, if too many cancellations are nested, after the outermost one.
  func cancelInTurn(_ cancel: @escaping () -> Void) {
    // The pointer stays valid, because a delivery queue never moves.
    let nesting = withUnsafeMutablePointer(to: &pointee.cancellations) { $0 }
    nesting.run(cancel)
  }

  /// Sends all notifications in the queue, and those that they cause. Invariant: no access to `pointee` lasts while a callback
  /// runs, because the callback may append to the queue.
  func drain() {
    while !pointee.entries.isEmpty {
      let entry = pointee.entries.removeFirst()
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
    if pointee.entries.capacity > DeliveryQueue.keptCapacity { pointee.entries = RingBuffer() }
  }

  /// Sends the notifications that the outermost one on this stack has caused, then ends the outermost one.
  @inline(__always) func finishOutermost() {
    if !pointee.entries.isEmpty { drain() }
    pointee.isActive = false
  }

  /// Adds waiters to the queue. Not inlined, because most notifications are the outermost on their stack and need no queue.
  @inline(never) func deliverLater(_ future: AnyFuture, _ waiters: StateWord) {
    pointee.append(.init(flushing: .passRetained(future), waiters))
  }
}

extension DeliveryQueue {
  /// The queue of the running thread's or coroutine's stack, made on first use and freed with the stack.
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
