import RuntimeSupport

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
    let first = TaskController<Output>(isPart: true, queue: whole.queue) {
      self.cleanUp(after: $0)
    }
    self.first = first
    guard whole.setPart(self) else {
      first.drop()
      self.first = nil
      return
    }
    Self.step { task.run(first) }
  }

  private func cleanUp(after outcome: Result<Output, any Error>) {
    let cleaning = TaskController<Void>(isPart: true, queue: whole.queue) { cleaned in
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
