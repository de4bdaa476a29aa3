import Synchronization

/// Padding, so that the fields before it and those after it never share a pair of cache lines.
///
/// Without this padding (128 bytes), a write to one field would evict its neighbours from other processors' caches.
public struct CacheLines: Sendable {
  @usableFromInline typealias Line = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  @usableFromInline let lines: (Line, Line)

  @inlinable public init() { lines = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)) }
}

/// Keeps the compiler from moving a retain behind an atomic store that lets another thread release the same object.
///
/// LLVM (`LLVMARCOpts`, Swift 6.3) moves a retain behind a store in the same block, even an atomic one, but never behind a
/// fence. Without a fence, the other thread may free the object before the retain. A read-modify-write such as `exchange` needs
/// no fence. On x86 the fence takes no instruction.
@inlinable @inline(__always) public func keepRetainsAhead() { atomicMemoryFence(ordering: .releasing) }

extension Atomic where Value.AtomicRepresentation == Int.AtomicRepresentation {
  /// Replaces the value by the result of `next`, which is called again if another thread has changed the value meanwhile.
  /// Returns the previous value, or `nil` if `next` returned `nil`.
  @inlinable @inline(__always) public func change(_ next: (Value) -> Value?) -> Value? {
    var seen = load(ordering: .acquiring)
    while let desired = next(seen) {
      let (exchanged, original) = weakCompareExchange(
        expected: seen, desired: desired, ordering: .acquiringAndReleasing)
      if exchanged { return seen }
      seen = original
    }
    return nil
  }
}

/// Runs an action after a number of calls of `arrive`.
public final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let action: @Sendable () -> Void

  public init(_ count: Int, _ action: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.action = action
  }

  public func arrive() {
    if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
  }
}

extension Unmanaged where Instance: AnyObject {
  /// The word of the object's header with the counts of strong and unowned references and a flag for weak references.
  ///
  /// The word is only compared with another object's. Invariant: on 64-bit platforms a Swift object begins with its type and
  /// this word, which the runtime changes atomically.
  @inlinable var referenceWord: UInt {
    // The load acquires, so that threads that have released the object are done with it before the owner reuses it.
    (toOpaque() + MemoryLayout<UInt>.size).assumingMemoryBound(to: Atomic<UInt>.self).pointee
      .load(ordering: .acquiring)
  }

  /// Whether only the owner of this strong reference can reach the object, so that the object may be reused. Pass
  /// `soleReferenceWord`. False if in doubt; an object with a weak or unowned reference counts as shared.
  @inlinable public func isSole(_ word: UInt) -> Bool { referenceWord == word }
}

/// The reference word of a new object, or `.max`, which no object has, if this word cannot be determined.
public let soleReferenceWord: UInt = {
  final class Fresh {}
  /// Not inlined, because an object that the compiler puts on the stack would have another word.
  @inline(never) func make() -> Unmanaged<Fresh> { .passRetained(Fresh()) }
  let fresh = make()
  defer { fresh.release() }
  var address = fresh.toOpaque()
  // The object is checked through its address, because a strong variable would be a second reference.
  let isUnique = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: Fresh.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
  }
  return isUnique ? fresh.referenceWord : .max
}()
