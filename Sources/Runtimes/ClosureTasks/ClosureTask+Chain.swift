import RuntimeSupport

extension ClosureTask {
  /// Runs this task, then the task that the closure makes from its value. If this task fails, its error is the outcome. A loop
  /// (a closure that returns a task like its own) runs in constant memory.
  @inlinable public func then<Next>(
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

  /// A task that transforms this task's value. If the closure throws an error, that is the outcome.
  @inlinable public func map<NewOutput>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput
  ) -> ClosureTask<NewOutput> {
    let task = Composed(self)
    return ClosureTask<NewOutput> { controller in
      task.parts.runPart(of: controller) { result in
        controller.complete(with: Result { try transform(try result.get()) })
      }
    }
  }

  /// If this task fails, runs the task that the closure makes. A cancellation is no failure: put cleanup into `ensure`.
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

  /// Runs this task as a part of the run `whole`, which waits for the part and cancels it when cancelled itself. Returns
  /// false, and starts nothing, if `whole` has already ended.
  @inlinable @discardableResult func runPart<Whole>(
    of whole: TaskController<Whole>, completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Bool {
    let part = Controller(isPart: true, completion: completion)
    // The part is registered before it begins, so that a cancellation of `whole` reaches it.
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

/// The first task of `then`, and the closure that makes the next task.
@usableFromInline struct ThenParts<Output: Sendable, Next: Sendable>: Sendable {
  @usableFromInline let first: ClosureTask<Output>
  @usableFromInline let next: @Sendable (Output) throws -> ClosureTask<Next>

  @inlinable
  init(first: ClosureTask<Output>, next: @escaping @Sendable (Output) throws -> ClosureTask<Next>) {
    self.first = first
    self.next = next
  }
}

/// The first task of `recover`, and the closure for an error. With `ThenParts` instead, the compiler would wrap the closure in
/// another one, because that type's input is generic.
@usableFromInline struct RecoverParts<Output: Sendable>: Sendable {
  @usableFromInline let first: ClosureTask<Output>
  @usableFromInline let other: @Sendable (any Error) throws -> ClosureTask<Output>

  @inlinable
  init(first: ClosureTask<Output>, other: @escaping @Sendable (any Error) throws -> ClosureTask<Output>) {
    self.first = first
    self.other = other
  }
}

/// Holds tasks for the closure of another task. Deeply nested closures would free each other recursively and overflow the
/// stack; this object bounds the depth. `@unchecked Sendable`: only the deinitialiser changes `held`.
@usableFromInline final class Composed<Parts: Sendable>: @unchecked Sendable {
  @usableFromInline var held: Parts?

  @inlinable init(_ parts: Parts) { held = parts }

  @inlinable var parts: Parts { held! }

  deinit {
    Nesting.release(.steps) {
      held = nil
    } orHold: {
      held as Any
    }
  }
}

extension ClosureTask {
  /// Runs this task, then calls the closure once, before the completion, on the thread that ends this task, however it ends. If
  /// the run was cancelled before this task began, the closure is not called.
  ///
  /// Cancelled work may still be running when the closure is called, so let the work itself close what it uses.
  public func ensure(_ body: @escaping @Sendable () -> Void) -> ClosureTask {
    ensure(
      ClosureTask<Void> { controller in
        body()
        controller.finish()
      })
  }

  /// Runs this task, then a cleanup, however this task ends. The completion waits for the cleanup, and a cancellation does not
  /// reach the cleanup. An error of the cleanup replaces a value, but not a failure or a cancellation.
  ///
  ///     transfer(on: connection).ensure(close(connection))
  public func ensure(_ cleanup: ClosureTask<Void>) -> ClosureTask {
    let composed = Composed((first: self, cleanup: cleanup))
    return ClosureTask { controller in
      EnsuringRun(of: controller, composed.parts.cleanup).start(composed.parts.first)
    }
  }
}

/// A run of a task, then of a cleanup, however the task ends.
///
/// `@unchecked Sendable`: `first` is written only while one thread refers to this object. `waitingRuns` belongs to the
/// cancelling thread until it calls `arrive`, then to the second of the two threads that call `arrive`.
private final class EnsuringRun<Output: Sendable>: TaskPart, @unchecked Sendable {
  private let whole: TaskController<Output>
  private let cleanup: ClosureTask<Void>
  private let phase = OutcomePhase()
  @exclusivity(unchecked) private var first: TaskController<Output>?
  @exclusivity(unchecked) private var waitingRuns = CancelledRuns()

  init(of whole: TaskController<Output>, _ cleanup: ClosureTask<Void>) {
    self.whole = whole
    self.cleanup = cleanup
    super.init()
  }

  /// Begins the task unless the run `whole` has already ended. Call it once.
  func start(_ task: ClosureTask<Output>) {
    let first = TaskController<Output>(isPart: true) { self.cleanUp(after: $0) }
    self.first = first
    guard whole.setPart(self) else {
      first.drop()
      self.first = nil
      return
    }
    Nesting.current(.steps).run { task.run(first) }
  }

  private func cleanUp(after outcome: Result<Output, any Error>) {
    let cleaning = TaskController<Void>(isPart: true) { cleaned in
      self.end(with: outcome, cleaned)
    }
    cleanup.run(cleaning)
  }

  private func end(with outcome: Result<Output, any Error>, _ cleaned: Result<Void, any Error>) {
    if !whole.complete(with: outcome.flatMap { value in cleaned.map { value } }) { arrive(.partsHaveEnded) }
  }

  private func arrive(_ arrival: OutcomePhase.Arrival) {
    if phase.arrive(arrival) { waitingRuns.take().deliver() }
  }

  /// Takes over the cancelled runs whose completions must be called, because these calls must come after the cleanup.
  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    waitingRuns = cancelled.take()
    arrive(.waitersAreKnown)
    Nesting.current(.steps).run { self.first?.cancel() }
    return nil
  }
}
