/// What is called if something is cancelled, with a handle of what it stops. A handle of up to two words takes no object.
///
/// Set once, then ended once, by whoever the owner orders behind the one who set it.
public struct CancelHandler: Sendable {
  @usableFromInline typealias Storage = InlineStorage<(UInt, UInt)>
  // Invariant: between `set` and `end` there is a handle in it, of the type that `ending` was made for.
  @usableFromInline var handle = Storage((0, 0))
  @usableFromInline var ending: (@Sendable (inout Storage, _ isCancelled: Bool) -> Void)?

  @inlinable
  public init() {}

  @inlinable @inline(__always)
  public mutating func set<Handle: Sendable>(
    _ handle: consuming Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    self.handle.put(handle)
    // Where the type is known, and `cancel` captures nothing, neither does this.
    ending = { storage, isCancelled in
      let handle = storage.take(Handle.self)
      if isCancelled { cancel(handle) }
    }
  }

  /// Calls the handler, or only lets go of it.
  @inlinable
  public mutating func end(isCancelled: Bool) {
    // Not `unsafelyUnwrapped`, which is generic and wraps the closure in a new one.
    ending!(&handle, isCancelled)
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
