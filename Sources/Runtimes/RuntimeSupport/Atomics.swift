import Synchronization

/// Padding. A write to a field before these 128 bytes does not evict the fields after them from other processors' caches.
public struct CacheLines: Sendable {
  @usableFromInline typealias Line = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  @usableFromInline let lines: (Line, Line)

  @inlinable public init() { lines = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)) }
}

/// Keeps the compiler from moving a retain behind an atomic store that lets another thread release the same object.
///
/// LLVM (`LLVMARCOpts`, Swift 6.3) moves a retain even behind an atomic store, but never behind a fence. The other thread might
/// free the object before that retain. A read-modify-write such as `exchange` needs no fence. On x86 the fence costs nothing.
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
  /// The word with the reference counts in the object's header. It is only compared with that of another object.
  ///
  /// Invariant: on 64-bit platforms a Swift object begins with its type and this word, which the runtime changes atomically.
  @inlinable var referenceWord: UInt {
    // Loaded with acquire ordering, because other threads may have used the object before they released their references.
    (toOpaque() + MemoryLayout<UInt>.size).assumingMemoryBound(to: Atomic<UInt>.self).pointee
      .load(ordering: .acquiring)
  }

  /// Whether this strong reference is the only reference, so that its owner may reuse the object. False if in doubt.
  /// - Parameter word: `soleReferenceWord`.
  @inlinable public func isSole(_ word: UInt) -> Bool { referenceWord == word }
}

/// The `referenceWord` of an object with one reference, or `.max`, which no object has, if that cannot be determined.
public let soleReferenceWord: UInt = {
  final class Fresh {}
  /// Not inlined: the compiler could put the object on the stack, which changes its reference word.
  @inline(never) func make() -> Unmanaged<Fresh> { .passRetained(Fresh()) }
  let fresh = make()
  defer { fresh.release() }
  var address = fresh.toOpaque()
  // A strong variable would be a second reference, so the check uses the object's address.
  let isUnique = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: Fresh.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
  }
  return isUnique ? fresh.referenceWord : .max
}()
