/// The lanes of a combining operator, in the order of its sources.
///
/// A list of plain references: looking at a lane, which happens several times per value, counts no reference.
/// Whoever made the list releases it, once, when nobody looks any more.
@usableFromInline
struct Lanes {
  @usableFromInline let references: UnsafeMutableBufferPointer<Unmanaged<Lane>>

  @inlinable
  init(_ lanes: [Lane]) {
    references = .allocate(capacity: lanes.count)
    for (index, lane) in lanes.enumerated() {
      references.initializeElement(at: index, to: .passRetained(lane))
    }
  }

  @inlinable var count: Int { references.count }

  @inlinable
  func with<Result>(_ index: Int, _ body: (Lane) -> Result) -> Result {
    references[index]._withUnsafeGuaranteedRef(body)
  }

  /// Whether the body is true of one lane at least; it is asked about all.
  @inlinable
  func any(_ body: (Lane) -> Bool) -> Bool {
    var result = false
    for index in 0..<count where with(index, body) { result = true }
    return result
  }

  @inlinable
  func forEach(_ body: (Lane) -> Void) {
    for index in 0..<count { with(index, body) }
  }

  /// What `transform` makes of each lane.
  @inlinable
  func map<Value>(_ transform: (Lane) -> Value) -> [Value] {
    Array(unsafeUninitializedCapacity: count) { values, made in
      for index in 0..<count {
        values.initializeElement(at: index, to: with(index, transform))
        made += 1
      }
    }
  }

  @usableFromInline
  func release() {
    for reference in references { reference.release() }
    references.deallocate()
  }
}
