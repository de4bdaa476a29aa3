/// Memory for one value inside an object whose class does not know the value's type.
///
/// A generic class destroys its variables through metadata, which costs more than all else that a stream of one value
/// does. This is raw memory: code compiled for the value's type puts it in and takes it out, exactly once each. A value
/// that does not fit is kept in a box of its own, at the price of an allocation.
@usableFromInline
struct InlineStorage: ~Copyable {
  @usableFromInline var words: (Int, Int, Int, Int) = (0, 0, 0, 0)

  @inlinable init() {}

  @inlinable
  static func fits<Value>(_ type: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= 4 * MemoryLayout<Int>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Int>.alignment
  }

  /// The storage is a variable of an object and never moves, so its address stays valid.
  @inlinable var memory: UnsafeMutableRawPointer {
    mutating get { withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0) } }
  }

  @inlinable
  mutating func put<Value>(_ value: consuming Value) {
    if Self.fits(Value.self) {
      memory.initializeMemory(as: Value.self, to: value)
    } else {
      let outside = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      outside.initialize(to: value)
      memory.storeBytes(of: outside, as: UnsafeMutablePointer<Value>.self)
    }
  }

  /// Changes the value where it is.
  @inlinable
  mutating func modify<Value, Result>(_ type: Value.Type, _ body: (inout Value) -> Result) -> Result {
    if Self.fits(Value.self) { return body(&memory.assumingMemoryBound(to: Value.self).pointee) }
    return body(&memory.load(as: UnsafeMutablePointer<Value>.self).pointee)
  }

  @inlinable
  mutating func take<Value>(_ type: Value.Type) -> Value {
    if Self.fits(Value.self) { return memory.assumingMemoryBound(to: Value.self).move() }
    let outside = memory.load(as: UnsafeMutablePointer<Value>.self)
    defer { outside.deallocate() }
    return outside.move()
  }
}
