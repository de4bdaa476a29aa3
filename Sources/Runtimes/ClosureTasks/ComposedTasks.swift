/// Holds the tasks of a group for the closure of another task, as ``ComposedTask`` holds one.
///
/// `@unchecked Sendable`: `held` is only changed by the deinitialiser.
@usableFromInline
final class ComposedTasks<Output: Sendable>: @unchecked Sendable {
  @usableFromInline var held: [ClosureTask<Output>]

  @inlinable
  init(_ tasks: [ClosureTask<Output>]) { held = tasks }

  @inlinable var tasks: [ClosureTask<Output>] { held }

  deinit {
    if Nesting.enter() {
      held = []
      Nesting.leave()
    } else {
      let tasks = held
      Nesting.later { withExtendedLifetime(tasks) {} }
    }
  }
}
