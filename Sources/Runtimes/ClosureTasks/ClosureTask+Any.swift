extension ClosureTask {
  /// The first value; the other tasks are cancelled then, before the completion is called. They are begun in their
  /// order, on the performing thread, until one has succeeded.
  ///
  /// If all fail, ``ClosureTaskError/allFailed(_:)``: so does no task at all.
  public static func any(_ tasks: [ClosureTask]) -> ClosureTask {
    first(of: tasks.map { task in task.turned { $0 } }) { errors in
      throw ClosureTaskError.allFailed(errors)
    }
  }

  /// The first outcome, value or error; the other tasks are cancelled then, before the completion is called. They are
  /// begun in their order, on the performing thread, until one has ended.
  ///
  /// Without tasks it is ``ClosureTaskError/allFailed(_:)``.
  public static func race(_ tasks: [ClosureTask]) -> ClosureTask {
    first(of: tasks.map { task in task.turned { throw First(result: .failure($0)) } }) { errors in
      throw ClosureTaskError.allFailed(errors)
    }
  }

  /// An outcome that decides a race, as the failure that ends a group.
  private struct First: Error {
    let result: Result<Output, any Error>
  }

  /// This task with a value for a failure, and an error for a value.
  private func turned(
    _ turn: @escaping @Sendable (any Error) throws -> any Error
  ) -> ClosureTask<any Error> {
    let task = ComposedTask(self)
    return ClosureTask<any Error> { controller in
      task.task.runPart(of: controller, progress: controller.progress) { result in
        switch result {
        case .success: controller.fail(with: First(result: result))
        case .failure(let error): controller.complete(with: Result { try turn(error) })
        }
      }
    }
  }

  /// A group ends with the first failure: that is what turns a race into one.
  private static func first(
    of tasks: [ClosureTask<any Error>], orElse end: @escaping @Sendable ([any Error]) throws -> Output
  ) -> ClosureTask {
    let group = ComposedTask(ClosureTask<[any Error]>.group(tasks))
    return ClosureTask { controller in
      group.task.runPart(of: controller, progress: controller.progress) { result in
        switch result {
        case .success(let errors): controller.complete(with: Result { try end(errors) })
        case .failure(let first as First): controller.complete(with: first.result)
        case .failure(let error): controller.fail(with: error)
        }
      }
    }
  }
}
