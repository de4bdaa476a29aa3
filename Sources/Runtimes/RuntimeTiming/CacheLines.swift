/// Room that keeps what is before it and what is behind it off the same pair of cache lines.
///
/// What one thread writes often would otherwise be taken from the caches of those that only read its neighbours.
/// A field of this type goes between the two; it costs 128 bytes.
@usableFromInline
package struct CacheLines: Sendable {
  @usableFromInline typealias Line = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  @usableFromInline let lines: (Line, Line)

  @inlinable
  package init() { lines = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)) }
}
