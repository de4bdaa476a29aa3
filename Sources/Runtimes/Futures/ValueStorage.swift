/// Storage for one value: in three words if it fits there, otherwise in a box of its own.
///
/// A type without parameters, so that an unspecialised deinitialiser needs no metadata but the value's own.
/// Initialised and deinitialised by hand: at most one of each, in this order, by the owner and with the same
/// type; the address is stable because it is only used as a field of a class.
@usableFromInline
struct ValueStorage {
  @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

  @inlinable
  init() {}

  @inlinable
  static func fitsInline<Value>(_: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
  }

  /// Whether nothing has to be done to end the life of a value stored here.
  @inlinable
  static func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) && fitsInline(type) }

  @inlinable
  mutating func initialize<Value>(as type: Value.Type, to value: Value) {
    if Self.fitsInline(type) {
      _ = withUnsafeMutablePointer(to: &words) {
        UnsafeMutableRawPointer($0).initializeMemory(as: type, to: value)
      }
    } else {
      let box = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      box.initialize(to: value)
      words.0 = UInt(bitPattern: box)
    }
  }

  /// The value. Only after `initialize`.
  @inlinable
  func load<Value>(as type: Value.Type) -> Value {
    if Self.fitsInline(type) {
      return withUnsafeBytes(of: words) { $0.baseAddress!.assumingMemoryBound(to: type).pointee }
    }
    return UnsafePointer<Value>(bitPattern: words.0)!.pointee
  }

  @usableFromInline
  mutating func deinitialize<Value>(as type: Value.Type) {
    if Self.fitsInline(type) {
      withUnsafeMutableBytes(of: &words) {
        _ = $0.baseAddress!.assumingMemoryBound(to: type).deinitialize(count: 1)
      }
    } else {
      let box = UnsafeMutablePointer<Value>(bitPattern: words.0)!
      box.deinitialize(count: 1)
      box.deallocate()
    }
  }
}
