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
