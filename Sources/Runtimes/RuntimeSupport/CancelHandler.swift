/// What is called if something is cancelled, with a handle of what it stops. A handle of up to two words takes no object.
///
/// Set once, and ended once, by whom the owner orders after who set it.
public struct CancelHandler: Sendable {
  @usableFromInline typealias Words = (UInt, UInt)
  // Invariant: between `set` and `end` the words are a handle of the type that `ending` was made for.
  @usableFromInline var words: Words = (0, 0)
  /// Calls the handler if need be, and lets go of the handle. Where the type is known it captures nothing.
  @usableFromInline var ending: (@Sendable (UnsafeMutableRawPointer, _ isCancelled: Bool) -> Void)?

  @inlinable
  public init() {}

  @inlinable @inline(__always)
  public mutating func set<Handle: Sendable>(
    _ handle: consuming Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    guard
      MemoryLayout<Handle>.size <= MemoryLayout<Words>.size,
      MemoryLayout<Handle>.alignment <= MemoryLayout<Words>.alignment
    else { return set(CancelClosure(handle, cancel)) { $0.call() } }
    Self.initialize(&words, to: handle)
    ending = { words, isCancelled in
      let handle = words.assumingMemoryBound(to: Handle.self)
      if isCancelled { cancel(handle.pointee) }
      handle.deinitialize(count: 1)
    }
  }

  @inlinable @inline(__always)
  static func initialize<Handle>(_ words: UnsafeMutableRawPointer, to handle: consuming Handle) {
    words.bindMemory(to: Handle.self, capacity: 1).initialize(to: handle)
  }

  /// Calls the handler, or only lets go of it.
  @inlinable
  public mutating func end(isCancelled: Bool) {
    // Not `unsafelyUnwrapped`, which is generic and wraps the closure in a new one.
    ending!(&words, isCancelled)
  }
}

/// A closure as a handle: as a generic value it would be wrapped in a new one.
public struct CancelClosure: Sendable {
  public let call: @Sendable () -> Void

  @inlinable
  public init(_ call: consuming @escaping @Sendable () -> Void) { self.call = call }

  @inlinable
  public init<Handle: Sendable>(_ handle: Handle, _ cancel: @escaping @Sendable (Handle) -> Void) {
    call = { cancel(handle) }
  }
}
