import RuntimeSupport

extension ClosureTask {
  /// This task, then the one that the closure makes from its value; a failure of this one is the outcome. A loop (a closure
  /// that returns a task of its own kind) runs in constant memory.
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

  /// The value, transformed; a thrown error is the outcome.
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

  /// Other work in place of a failure. A cancellation is not a failure: the closure is not called. Put cleanup into `ensure`.
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

  /// Runs this task as the part that another run waits for, and that is cancelled with it. False, and nothing begins, if that
  /// run has ended.
  @inlinable @discardableResult func runPart<Whole>(
    of whole: TaskController<Whole>, completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Bool {
    let part = Controller(isPart: true, completion: completion)
    // Before it begins: a cancellation of the whole reaches the part from now on.
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

/// The parts of `then`: the closure may hold tasks, too, and so the next level of a deep chain.
@usableFromInline struct ThenParts<Output: Sendable, Next: Sendable>: Sendable {
  @usableFromInline let first: ClosureTask<Output>
  @usableFromInline let next: @Sendable (Output) throws -> ClosureTask<Next>

  @inlinable
  init(first: ClosureTask<Output>, next: @escaping @Sendable (Output) throws -> ClosureTask<Next>) {
    self.first = first
    self.next = next
  }
}

/// The parts of `recover`; a generic input would cost the closure a thunk.
@usableFromInline struct RecoverParts<Output: Sendable>: Sendable {
  @usableFromInline let first: ClosureTask<Output>
  @usableFromInline let other: @Sendable (any Error) throws -> ClosureTask<Output>

  @inlinable
  init(first: ClosureTask<Output>, other: @escaping @Sendable (any Error) throws -> ClosureTask<Output>) {
    self.first = first
    self.other = other
  }
}

/// Holds tasks, or closures that may hold some, for a closure of another task: nested closures are freed within each other, and
/// this step in between bounds how deep.
///
/// `@unchecked Sendable`: `held` is only changed by the deinitialiser.
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
  /// This task, then the closure, once: after a value, a failure or a cancellation, and before the completion. It is called on
  /// the thread that ends this task; a task that never began, because its run was cancelled, skips it.
  ///
  /// Cancelled work may still be running then: close what it uses where it ends.
  public func ensure(_ body: @escaping @Sendable () -> Void) -> ClosureTask {
    ensure(
      ClosureTask<Void> { controller in
        body()
        controller.finish()
      })
  }

  /// This task, then a cleanup: after a value, a failure or a cancellation. The completion waits for it, and a cancellation
  /// does not reach it. The cleanup's error replaces a value, not a failure or a cancellation.
  ///
  ///     transfer(on: connection).ensure(close(connection))
  public func ensure(_ cleanup: ClosureTask<Void>) -> ClosureTask {
    let composed = Composed((first: self, cleanup: cleanup))
    return ClosureTask { controller in
      EnsuringRun(of: controller, composed.parts.cleanup).start(composed.parts.first)
    }
  }
}

/// A run that is followed by a cleanup, however it ends.
///
/// `@unchecked Sendable`: `first` is written before other threads see the object, and afterwards by a thread that alone refers
/// to it; `waitingRuns` belongs to the canceller until it has arrived, then to the later of the two arrivals.
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

  /// Begins the task, unless the whole has ended. Called once.
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

  /// Takes over the deliveries: waiters of the whole learn of the cancellation after the cleanup.
  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    waitingRuns = cancelled.take()
    arrive(.waitersAreKnown)
    Nesting.current(.steps).run { self.first?.cancel() }
    return nil
  }
}
