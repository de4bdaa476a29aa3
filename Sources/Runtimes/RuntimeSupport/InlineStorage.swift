/// Memory for one value of any type inside an object, as many words as the tuple `Words` has. A larger value is put in a box.
///
/// A generic class destroys its variables through metadata, which takes as long as an allocation. This raw memory is written
/// once and emptied once, both by code that is compiled for the value's type.
public struct InlineStorage<Words: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline var words: Words

  @inlinable public init(_ zeros: Words) { words = zeros }

  @inlinable static func fits<Value>(_ type: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= MemoryLayout<Words>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Words>.alignment
  }

  /// Whether a value stored here needs no deinitialisation.
  @inlinable public static func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) && fits(type) }

  /// The address of the words. Invariant: the storage is a variable of an object, so it never moves.
  @inlinable var memory: UnsafeMutableRawPointer {
    mutating get { withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0) } }
  }

  /// Stores a value. For an existential, pass its type: the compiler would infer the type of the content, unlike in `take`.
  @inlinable public mutating func put<Value>(_ value: consuming Value, as type: Value.Type = Value.self) {
    if Self.fits(Value.self) {
      memory.initializeMemory(as: Value.self, to: value)
    } else {
      let outside = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      outside.initialize(to: value)
      memory.storeBytes(of: outside, as: UnsafeMutablePointer<Value>.self)
    }
  }

  /// A copy of the value. The call modifies nothing, so several threads may make it concurrently.
  @inlinable public func load<Value>(as type: Value.Type) -> Value {
    withUnsafePointer(to: words) {
      let memory = UnsafeRawPointer($0)
      if Self.fits(type) { return memory.assumingMemoryBound(to: type).pointee }
      return memory.load(as: UnsafeMutablePointer<Value>.self).pointee
    }
  }

  @inlinable
  public mutating func modify<Value, Result>(_ type: Value.Type, _ body: (inout Value) -> Result) -> Result {
    if Self.fits(Value.self) { return body(&memory.assumingMemoryBound(to: Value.self).pointee) }
    return body(&memory.load(as: UnsafeMutablePointer<Value>.self).pointee)
  }

  @inlinable public mutating func take<Value>(_ type: Value.Type) -> Value {
    if Self.fits(Value.self) { return memory.assumingMemoryBound(to: Value.self).move() }
    let outside = memory.load(as: UnsafeMutablePointer<Value>.self)
    defer { outside.deallocate() }
    return outside.move()
  }

  @inlinable public mutating func destroy<Value>(_ type: Value.Type) {
    let value =
      Self.fits(type)
      ? memory.assumingMemoryBound(to: type) : memory.load(as: UnsafeMutablePointer<Value>.self)
    value.deinitialize(count: 1)
    if !Self.fits(type) { value.deallocate() }
  }
}

/// A closure that a cancellation calls with a handle of the work to stop. A handle of up to two words needs no allocation.
///
/// The owner must call `set` once, then `end` once.
public struct CancelHandler: Sendable {
  @usableFromInline typealias Storage = InlineStorage<(UInt, UInt)>
  // Invariant: between `set` and `end`, `handle` holds a value of the type that the closure `ending` takes out.
  @usableFromInline var handle = Storage((0, 0))
  @usableFromInline var ending: (@Sendable (inout Storage, _ isCancelled: Bool) -> Void)?

  @inlinable public init() {}

  @inlinable @inline(__always) public mutating func set<Handle: Sendable>(
    _ handle: consuming Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    self.handle.put(handle)
    // This closure is made where the handle's type is known, so it captures only `cancel`, or nothing if that is a constant.
    ending = { storage, isCancelled in
      let handle = storage.take(Handle.self)
      if isCancelled { cancel(handle) }
    }
  }

  /// Calls the handler if `isCancelled`, and releases it.
  @inlinable public mutating func end(isCancelled: Bool) {
    // `!` instead of `unsafelyUnwrapped`, which is generic and would wrap the closure in a new one.
    ending!(&handle, isCancelled)
  }
}

/// A closure in a struct. Generic code would wrap a plain closure in another one.
public struct CancelClosure: Sendable {
  public let call: @Sendable () -> Void

  @inlinable public init(_ call: consuming @escaping @Sendable () -> Void) { self.call = call }

  @inlinable public init<Handle: Sendable>(_ handle: Handle, _ cancel: @escaping @Sendable (Handle) -> Void) {
    call = { cancel(handle) }
  }
}
