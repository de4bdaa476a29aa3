/// Room for one value: in three words if it fits there, otherwise in a box of its own.
///
/// The layout does not depend on `Value`, so an unspecialised deinitialiser handles it without looking up
/// metadata. Initialised and deinitialised by hand: at most one of each, in this order, by the owner; the
/// address is stable because it is only used as a field of a class.
@usableFromInline
struct ValueStorage<Value> {
  @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

  @inlinable init() {}

  @inlinable static var fitsInline: Bool {
    MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
  }

  @inlinable
  mutating func initialize(to value: Value) {
    if Self.fitsInline {
      _ = withUnsafeMutableBytes(of: &words) {
        $0.baseAddress!.initializeMemory(as: Value.self, to: value)
      }
    } else {
      let box = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      box.initialize(to: value)
      words.0 = UInt(bitPattern: box)
    }
  }

  /// The value. Only after `initialize`.
  @inlinable var value: Value {
    if Self.fitsInline {
      return withUnsafeBytes(of: words) { $0.baseAddress!.assumingMemoryBound(to: Value.self).pointee }
    }
    return UnsafePointer<Value>(bitPattern: words.0)!.pointee
  }

  @usableFromInline
  mutating func deinitialize() {
    if Self.fitsInline {
      withUnsafeMutableBytes(of: &words) {
        _ = $0.baseAddress!.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      }
    } else {
      let box = UnsafeMutablePointer<Value>(bitPattern: words.0)!
      box.deinitialize(count: 1)
      box.deallocate()
    }
  }
}
