import RuntimeSupport

extension ClosureTask {
  /// This task, then the one that the closure makes from its value; a failure of this one is the outcome. A closure that
  /// ends by returning a task of its own kind (a loop) runs in constant memory.
  @inlinable
  public func then<Next>(
    _ next: @escaping @Sendable (Output) throws -> ClosureTask<Next>
  ) -> ClosureTask<Next> {
    let composed = Composed(ThenParts(first: self, next: next))
    return ClosureTask<Next> { controller in
      composed.parts.first.runPart(of: controller) { result in
        switch result {
        case .success(let value):
          controller.takeStep {
            do { try composed.parts.next(value).run(controller) } catch { controller.fail(with: error) }
          }
        case .failure(let error): controller.fail(with: error)
        }
      }
    }
  }

  /// The value, transformed; a thrown error is the outcome.
  @inlinable
  public func map<NewOutput>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput
  ) -> ClosureTask<NewOutput> {
    let task = Composed(self)
    return ClosureTask<NewOutput> { controller in
      task.parts.runPart(of: controller) { result in
        controller.complete(with: Result { try transform(try result.get()) })
      }
    }
  }

  /// Other work in place of a failure. A cancellation is none: it ends the whole, and this closure is not called. What must be
  /// cleaned up then, too, belongs into `ensure`.
  @inlinable
  public func recover(_ other: @escaping @Sendable (any Error) throws -> ClosureTask) -> ClosureTask {
    let composed = Composed(RecoverParts(first: self, other: other))
    return ClosureTask { controller in
      composed.parts.first.runPart(of: controller) { result in
        switch result {
        case .success(let value): controller.finish(with: value)
        case .failure(let error):
          controller.takeStep {
            do { try composed.parts.other(error).run(controller) } catch { controller.fail(with: error) }
          }
        }
      }
    }
  }

  /// Runs this task as the part that another run is waiting for, and that is cancelled with it. False, and nothing is
  /// begun, if that run has ended.
  @inlinable
  @discardableResult
  func runPart<Whole>(
    of whole: TaskController<Whole>,
    completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Bool {
    let part = Controller(isPart: true, queue: whole.queue, completion: completion)
    // Before it begins: whatever happens to the whole meanwhile reaches the part.
    guard whole.setPart(part) else {
      part.drop()
      return false
    }
    let steps = Nesting.current(.steps)
    if steps.enter() {
      run(part)
      steps.leave()
    } else {
      steps.later { run(part) }
    }
    return true
  }
}

/// What `then` keeps: the closure may hold tasks as well, and so be the way down a deep chain.
@usableFromInline
struct ThenParts<Output: Sendable, Next: Sendable>: Sendable {
  @usableFromInline let first: ClosureTask<Output>
  @usableFromInline let next: @Sendable (Output) throws -> ClosureTask<Next>

  @inlinable
  init(first: ClosureTask<Output>, next: @escaping @Sendable (Output) throws -> ClosureTask<Next>) {
    self.first = first
    self.next = next
  }
}

/// The same for `recover`; a generic input would cost the closure a thunk.
@usableFromInline
struct RecoverParts<Output: Sendable>: Sendable {
  @usableFromInline let first: ClosureTask<Output>
  @usableFromInline let other: @Sendable (any Error) throws -> ClosureTask<Output>

  @inlinable
  init(first: ClosureTask<Output>, other: @escaping @Sendable (any Error) throws -> ClosureTask<Output>) {
    self.first = first
    self.other = other
  }
}

/// Holds tasks, or closures that may hold some, for a closure of another task: closures that hold closures are freed within
/// each other, and this step in between bounds how deep.
///
/// `@unchecked Sendable`: `held` is only changed by the deinitialiser.
@usableFromInline
final class Composed<Parts: Sendable>: @unchecked Sendable {
  @usableFromInline var held: Parts?

  @inlinable
  init(_ parts: Parts) { held = parts }

  @inlinable var parts: Parts { held! }

  deinit {
    Nesting.release(.steps) {
      held = nil
    } orHold: {
      held as Any
    }
  }
}
