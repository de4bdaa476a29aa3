import CStackLocals
import RuntimeSupport

/// What the callbacks that are running on this stack have caused and what still has to be told, first in first out.
///
/// A completion inside a callback leaves its observers here, and the outermost delivery on the stack calls them when the
/// callback has returned: so a chain of any length runs in constant stack. A coroutine has a stack of its own, and takes
/// the queue along when a callback suspends it.
struct DeliveryQueue {
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
  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private var head = 0
  private var count = 0

  /// Combinations that cancel combinations.
  fileprivate var cancellations = Nesting()

  /// The capacity that an idle stack keeps; a larger buffer is freed.
  private static let keptCapacity = 1024

  /// Takes over one retain of the target and one of the source.
  mutating func append(_ entry: Entry) {
    if count == capacity { grow() }
    (entries! + (head &+ count) & (capacity - 1)).initialize(to: entry)
    count += 1
  }

  mutating func popFirst() -> Entry? {
    guard count > 0 else { return nil }
    let entry = (entries! + head).move()
    head = (head &+ 1) & (capacity - 1)
    count -= 1
    return entry
  }

  private mutating func grow() {
    let newCapacity = max(64, capacity * 2)
    let newEntries = UnsafeMutablePointer<Entry>.allocate(capacity: newCapacity)
    for index in 0..<count {
      (newEntries + index).initialize(to: (entries! + (head + index) & (capacity - 1)).move())
    }
    entries?.deallocate()
    (entries, capacity, head) = (newEntries, newCapacity, 0)
  }

  /// Ends a delivery whose queue is empty.
  mutating func finish() {
    isActive = false
    if capacity > Self.keptCapacity { deallocate() }
  }

  /// Frees the buffer. Only for an empty queue.
  mutating func deallocate() {
    entries?.deallocate()
    (entries, capacity, head) = (nil, 0, 0)
  }
}

extension UnsafeMutablePointer<DeliveryQueue> {
  /// Cancels what a combination waits for, or goes on when that is done: now or, with too many combinations within each
  /// other, when the outermost of them has done its own part, on this thread.
  func cancelInTurn(_ cancel: @escaping () -> Void) {
    let offset = MemoryLayout<DeliveryQueue>.offset(of: \.cancellations)!
    let nesting = (UnsafeMutableRawPointer(self) + offset).assumingMemoryBound(to: Nesting.self)
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
  }

  /// Does what the outermost delivery of this stack has caused, and ends it.
  func finishOutermost() {
    drain()
    pointee.finish()
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
      queue.pointee.deallocate()
      queue.deinitialize(count: 1)
      queue.deallocate()
    }
    return made
  }
}
