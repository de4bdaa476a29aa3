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
    let part = Controller(isPart: true, completion: completion)
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

extension ClosureTask {
  /// This task, and the closure once when it has ended: with a value, a failure or by a cancellation, before the completion is
  /// called. It is called on the thread that ends this task; one that never began, as its run had been cancelled, needs none.
  ///
  /// After a cancellation the work has been told to stop, and may not have stopped: what it uses is closed where it ends.
  public func ensure(_ body: @escaping @Sendable () -> Void) -> ClosureTask {
    ensure(
      ClosureTask<Void> { controller in
        body()
        controller.finish()
      })
  }

  /// This task, and another one when it has ended: with a value, a failure or by a cancellation. The completion waits for it,
  /// and a cancellation does not reach it. What it fails with takes the place of a value, not of a failure or a cancellation.
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
/// `@unchecked Sendable`: `first` is written before others see the object, and by the thread that alone knows it then;
/// `waitingRuns` belongs to the canceller until it has noted that they are known, then to the later of the two arrivals.
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
    Self.step { task.run(first) }
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
    if phase.arrive(arrival) { waitingRuns.take().tell() }
  }

  /// Takes over telling: those who wait for the whole hear of the cancellation after the cleanup.
  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    waitingRuns = cancelled.take()
    arrive(.waitersAreKnown)
    Self.step { self.first?.cancel() }
    return nil
  }

  /// Here and now, or when the steps that are under way on this stack have become few enough.
  private static func step(_ body: @escaping () -> Void) {
    let steps = Nesting.current(.steps)
    if steps.enter() {
      body()
      steps.leave()
    } else {
      steps.later(body)
    }
  }
}
