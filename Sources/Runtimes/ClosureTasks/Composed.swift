/// Holds tasks, or closures that may hold some, for a closure of another task.
///
/// Closures that hold closures are freed within each other; this step in between bounds how deep.
/// `@unchecked Sendable`: `held` is only changed by the deinitialiser.
@usableFromInline
final class Composed<Parts: Sendable>: @unchecked Sendable {
  @usableFromInline var held: Parts?

  @inlinable
  init(_ parts: Parts) { held = parts }

  @inlinable var parts: Parts { held! }

  deinit {
    if Nesting.enter() {
      held = nil
      Nesting.leave()
    } else {
      let parts = held
      Nesting.later { withExtendedLifetime(parts) {} }
    }
  }
}
