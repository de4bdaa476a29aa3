/// Holds a task for a closure of another task.
///
/// Closures that hold closures are freed within each other; this step in between bounds how deep.
/// `@unchecked Sendable`: `held` is only changed by the deinitialiser.
@usableFromInline
final class ComposedTask<Output: Sendable>: @unchecked Sendable {
  @usableFromInline var held: ClosureTask<Output>?

  @inlinable
  init(_ task: ClosureTask<Output>) { held = task }

  @inlinable var task: ClosureTask<Output> { held! }

  deinit {
    if Nesting.enter() {
      held = nil
      Nesting.leave()
    } else {
      let task = held
      Nesting.later { withExtendedLifetime(task) {} }
    }
  }
}
