import CContextSwitch

/// A value that belongs to a coroutine and to those it starts, as a task-local value belongs to a task.
///
/// It travels with a coroutine that suspends and goes on elsewhere; a coroutine inherits what is bound where it is started.
/// Keep it in a static property. Reading costs a comparison for each binding in effect, innermost first.
public final class CoroutineLocal<Value: Sendable>: Sendable {
  private let defaultValue: Value

  /// - Parameter defaultValue: what is read where nothing is bound.
  public init(_ defaultValue: Value) { self.defaultValue = defaultValue }

  /// What is bound here, innermost.
  public var value: Value {
    var binding = LocalBindings.current
    while let found = binding {
      // Only this key makes bindings with it, and they are of its type.
      if found.key === self { return unsafeDowncast(found, to: LocalBinding<Value>.self).value }
      binding = found.outer
    }
    return defaultValue
  }

  /// Binds a value while `operation` runs, across its suspensions, and for the coroutines that it starts.
  public func withValue<Result>(_ value: Value, operation: () throws -> Result) rethrows -> Result {
    let outer = LocalBindings.current
    LocalBindings.current = LocalBinding(key: self, value: value, outer: outer)
    defer { LocalBindings.current = outer }
    return try operation()
  }
}

/// A bound value of whatever type, and those bound before it.
class AnyLocalBinding: @unchecked Sendable {
  // Invariant: immutable.
  final let key: AnyObject
  final let outer: AnyLocalBinding?

  init(key: AnyObject, outer: AnyLocalBinding?) {
    self.key = key
    self.outer = outer
  }
}

private final class LocalBinding<Value: Sendable>: AnyLocalBinding, @unchecked Sendable {
  let value: Value

  init(key: AnyObject, value: Value, outer: AnyLocalBinding?) {
    self.value = value
    super.init(key: key, outer: outer)
  }
}

enum LocalBindings {
  // Invariant: a coroutine touches its own and a thread its own; each holds one reference.
  /// What is bound in the running coroutine, or on this thread outside of any.
  static var current: AnyLocalBinding? {
    get { place(on: context_thread_current()).pointee.map { Unmanaged.fromOpaque($0).takeUnretainedValue() } }
    set {
      let place = place(on: context_thread_current())
      let old = place.pointee
      place.pointee = newValue.map { Unmanaged.passRetained($0).toOpaque() }
      release(old)
    }
  }

  /// The same with a reference for a coroutine that is started here.
  static func inherited(on thread: UnsafeMutablePointer<context_thread>) -> UnsafeMutableRawPointer? {
    place(on: thread).pointee.map { Unmanaged<AnyLocalBinding>.fromOpaque($0).retain().toOpaque() }
  }

  static func release(_ address: UnsafeMutableRawPointer?) {
    if let address { Unmanaged<AnyLocalBinding>.fromOpaque(address).release() }
  }

  /// Where the innermost is kept: neither a fiber nor a thread moves.
  private static func place(
    on thread: UnsafeMutablePointer<context_thread>
  ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    if let fiber = FiberPointer.running(on: thread) {
      return withUnsafeMutablePointer(to: &fiber.pointee.locals) { $0 }
    }
    return withUnsafeMutablePointer(to: &thread.pointee.locals) { $0 }
  }
}
