extension ClosureTask {
  /// This task, then the one that the closure makes from its value. A failure of this one is the outcome.
  @inlinable
  public func then<Next>(
    _ next: @escaping @Sendable (Output) throws -> ClosureTask<Next>
  ) -> ClosureTask<Next> {
    ClosureTask<Next> { controller in
      runPart(of: controller) { result in
        switch result {
        case .success(let value):
          guard !controller.isEnded else { return }
          do { try next(value).run(controller) } catch { controller.fail(with: error) }
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
    ClosureTask<NewOutput> { controller in
      runPart(of: controller) { result in
        controller.complete(with: Result { try transform(try result.get()) })
      }
    }
  }

  /// Other work in place of a failure.
  @inlinable
  public func recover(_ other: @escaping @Sendable (any Error) throws -> ClosureTask) -> ClosureTask {
    ClosureTask { controller in
      runPart(of: controller) { result in
        switch result {
        case .success(let value): controller.finish(with: value)
        case .failure(let error):
          guard !controller.isEnded else { return }
          do { try other(error).run(controller) } catch { controller.fail(with: error) }
        }
      }
    }
  }

  /// Runs this task as a part of another run, which cancels it when it is cancelled itself.
  @inlinable
  @discardableResult
  func runPart<Whole>(
    of whole: TaskController<Whole>, completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> TaskRun {
    let part = Controller(progressHandler: whole.progressHandler, completion: completion)
    // After the registration: whatever happens to the whole meanwhile reaches the part before it begins.
    whole.onCancel { part.cancel() }
    run(part)
    return part
  }
}
