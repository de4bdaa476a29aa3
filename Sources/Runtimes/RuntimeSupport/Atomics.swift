import Synchronization

/// Padding: what is before it and what is behind it never share a pair of cache lines.
///
/// What one thread writes often would otherwise be taken from the caches of those that only read its neighbours.
/// A field of this type goes between the two; it costs 128 bytes.
public struct CacheLines: Sendable {
  @usableFromInline typealias Line = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  @usableFromInline let lines: (Line, Line)

  @inlinable
  public init() { lines = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)) }
}

/// Comes between a retain and the plain atomic store that tells another thread it may let go of the same object.
///
/// LLVM (`LLVMARCOpts`, Swift 6.3) moves a retain behind a store in the same block, atomic or not; by the time of the retain the
/// other thread may have freed the object. It moves none behind a fence. A read-modify-write, such as `exchange`, needs none. On
/// x86 this is no instruction.
@inlinable @inline(__always)
public func keepRetainsAhead() { atomicMemoryFence(ordering: .releasing) }

extension Atomic where Value.AtomicRepresentation == Int.AtomicRepresentation {
  /// Puts what `next` makes of the value in its place; asked again if another thread came first. Returns the value before; nil if
  /// `next` wanted no change.
  @inlinable @inline(__always)
  public func change(_ next: (Value) -> Value?) -> Value? {
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

/// Runs an action when it has been told as often as it was made for.
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
  /// What the object's header says of references to it: strong ones, unowned ones, and whether weak ones ever were.
  ///
  /// Only compared with another object's. Invariant: on 64-bit platforms a Swift object begins with its type and this word,
  /// which the runtime changes atomically.
  @inlinable
  var referenceWord: UInt {
    // Acquiring: what those did who have let go since is done before the owner makes something else of the object.
    (toOpaque() + MemoryLayout<UInt>.size).assumingMemoryBound(to: Atomic<UInt>.self).pointee
      .load(ordering: .acquiring)
  }

  /// Whether nobody but the owner of this strong reference can reach the object, by a weak or unowned reference neither, so
  /// that it may become something else; given `soleReferenceWord`. Never true by mistake: what is not sure counts as shared.
  @inlinable
  public func isSole(_ word: UInt) -> Bool { referenceWord == word }
}

/// The reference word of an object that has just been made; one that no object has, should it have a second reference. Every look
/// asks first whether it is known.
public let soleReferenceWord: UInt = {
  final class Fresh {}
  /// Not inlined: an object that is on a stack has another word.
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
