/// What the callbacks that are running on this thread have caused and what still has to be told, first in first out.
///
/// A completion that happens inside a callback does not call its observers from there: it leaves them here,
/// and the outermost delivery on the thread calls them when the callback has returned. That is what keeps a
/// chain of any length, and any number of nested `flatMap`s, in constant stack.
@usableFromInline
struct DeliveryQueue {
  /// One thing to do: flush `target` (without a source), or let `target` react to `source`. Both are retained.
  @usableFromInline
  struct Entry {
    @usableFromInline let target: Unmanaged<AnyFuture>
    @usableFromInline let source: Unmanaged<AnyFuture>?
  }

  /// A delivery is running on this thread.
  @usableFromInline var isActive = false
  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private var head = 0
  private var count = 0

  /// Room that an idle thread keeps; more is given back.
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

  /// Frees the room. Only for an empty queue.
  mutating func deallocate() {
    entries?.deallocate()
    (entries, capacity, head) = (nil, 0, 0)
  }
}

extension UnsafeMutablePointer<DeliveryQueue> {
  /// Does everything that is left, including what that causes.
  ///
  /// The pointee is only touched between callbacks, never across one, so callbacks may append.
  @usableFromInline
  func drain() {
    while let entry = pointee.popFirst() {
      if let source = entry.source {
        entry.target._withUnsafeGuaranteedRef { target in
          if source._withUnsafeGuaranteedRef({ target.step(target, $0) }) { target.flush(self) }
        }
        source.release()
      } else {
        entry.target._withUnsafeGuaranteedRef { $0.flush(self) }
      }
      entry.target.release()
    }
  }

  /// Runs the body as the outermost delivery of this thread, then what it caused.
  @inlinable
  func runOutermost(_ body: () -> Void) {
    pointee.isActive = true
    body()
    finishOutermost()
  }

  @usableFromInline
  func finishOutermost() {
    drain()
    pointee.finish()
  }
}
