import RuntimeTiming
import Synchronization

/// A lane's values, for those who know their type: the one that the lane was made for.
extension Lane {
  @inlinable
  func latestPlace<Value>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    firstPlaces.assumingMemoryBound(to: Value.self) + Self.firstCapacity
  }

  /// The value that `advance` took last. There must be one.
  @inlinable
  func latest<Value>(_ type: Value.Type) -> Value { latestPlace(Value.self).pointee }

  @inlinable
  func place<Value>(_ number: Int, _ type: Value.Type) -> UnsafeMutablePointer<Value> {
    if number >= firstInPlaces.load(ordering: .relaxed), let places {
      return places.assumingMemoryBound(to: Value.self) + number % Self.capacity
    }
    return firstPlaces.assumingMemoryBound(to: Value.self) + number % Self.firstCapacity
  }

  @inlinable
  func append<Value>(_ value: Value, isLast: Bool = false) {
    let number = arrived.load(ordering: .relaxed) / 2
    let waiting = number - taken.load(ordering: .acquiring)
    if waiting >= Self.firstCapacity {
      if waiting >= Self.capacity { return drop(number, isLast: isLast) }
      if places == nil { addPlaces(from: number, Value.self) }
    }
    place(number, Value.self).initialize(to: value)
    keepRetainsAhead()
    arrived.store((number + 1) * 2 + (isLast ? Self.lastBit : 0), ordering: .releasing)
  }

  @usableFromInline
  func drop(_ number: Int, isLast: Bool) {
    if isLast { arrived.store(number * 2 + Self.lastBit, ordering: .releasing) }
  }

  @inlinable
  func addPlaces<Value>(from number: Int, _ type: Value.Type) {
    places = UnsafeMutableRawPointer(UnsafeMutablePointer<Value>.allocate(capacity: Self.capacity))
    firstInPlaces.store(number, ordering: .relaxed)
  }

  /// Takes the value that has waited longest. There must be one.
  @inlinable
  func take<Value>(_ type: Value.Type) -> Value {
    let number = taken.load(ordering: .relaxed)
    let value = place(number, Value.self).move()
    taken.store(number + 1, ordering: .releasing)
    return value
  }
}
