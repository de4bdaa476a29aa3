import Synchronization

/// Padding: the fields before it and after it never share a pair of cache lines.
///
/// A write to a field otherwise takes its neighbours out of the caches of the threads that only read those. It costs 128 bytes.
public struct CacheLines: Sendable {
  @usableFromInline typealias Line = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  @usableFromInline let lines: (Line, Line)

  @inlinable public init() { lines = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)) }
}

/// Keeps a retain before the plain atomic store after which another thread may release the same object.
///
/// LLVM (`LLVMARCOpts`, Swift 6.3) moves a retain behind a store in the same block, atomic or not, but never behind a fence; by
/// then the other thread may have freed the object. A read-modify-write, such as `exchange`, needs no fence. On x86 this is no
/// instruction.
@inlinable @inline(__always) public func keepRetainsAhead() { atomicMemoryFence(ordering: .releasing) }

extension Atomic where Value.AtomicRepresentation == Int.AtomicRepresentation {
  /// Replaces the value by the result of `next`, called again if another thread came first. Returns the value before; nil if
  /// `next` returned nil.
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

/// Runs an action after a number of arrivals.
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
  /// The object header's counts of strong and unowned references, and whether there ever were weak ones.
  ///
  /// Only compared with another object's. Invariant: on 64-bit platforms a Swift object begins with its type and this word,
  /// which the runtime changes atomically.
  @inlinable var referenceWord: UInt {
    // Acquiring: threads that have released the object are done with it before the owner reuses it.
    (toOpaque() + MemoryLayout<UInt>.size).assumingMemoryBound(to: Atomic<UInt>.self).pointee
      .load(ordering: .acquiring)
  }

  /// Whether only the owner of this strong reference can reach the object, also by no weak or unowned reference, so that it may
  /// be reused; given `soleReferenceWord`. Never true by mistake: what is not certain counts as shared.
  @inlinable public func isSole(_ word: UInt) -> Bool { referenceWord == word }
}

/// The reference word of a new object; `.max`, which no object has, if this word cannot be determined.
public let soleReferenceWord: UInt = {
  final class Fresh {}
  /// Not inlined: an object on a stack has another word.
  @inline(never) func make() -> Unmanaged<Fresh> { .passRetained(Fresh()) }
  let fresh = make()
  defer { fresh.release() }
  var address = fresh.toOpaque()
  // Looked at in place: a strong variable of our own would be a second reference.
  let isUnique = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: Fresh.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
  }
  return isUnique ? fresh.referenceWord : .max
}()
