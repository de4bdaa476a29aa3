import CStackLocals
import RuntimeSupport

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
