import RuntimeSupport
import Synchronization

extension ClosureTask {
  /// Runs all tasks concurrently, or at most `limit` (1 or more) at any moment. The values are in the order of the tasks.
  ///
  /// The first failure is the outcome. After it no task starts, and those in flight are cancelled before the completion is
  /// called. Tasks start on the performing thread and, with a limit, also on threads where other tasks end. A task that never
  /// ends blocks the group: give it a `timeout`.
  @inlinable public static func group<Element>(
    _ tasks: [ClosureTask<Element>], limit: Int? = nil
  ) -> ClosureTask where Output == [Element] {
    let composed = Composed(tasks)
    return group(of: tasks.count, limit) { try composed.parts[$0].body($1) }
  }

  /// Makes a task for each item and runs them as a group. The closure makes a task when the group starts it.
  @inlinable public static func group<Items: RandomAccessCollection & Sendable, Element>(
    _ items: Items, limit: Int? = nil,
    _ makeTask: @escaping @Sendable (Items.Element) throws -> ClosureTask<Element>
  ) -> ClosureTask where Output == [Element] {
    group(of: items.count, limit) { index, controller in
      try makeTask(items[items.index(items.startIndex, offsetBy: index)]).body(controller)
    }
  }

  /// Calls the closure for each item concurrently. Each call reports its outcome through its own controller.
  @inlinable public static func group<Items: RandomAccessCollection & Sendable, Element>(
    _ items: Items, limit: Int? = nil,
    each body: @escaping @Sendable (Items.Element, TaskController<Element>) throws -> Void
  ) -> ClosureTask where Output == [Element] {
    group(of: items.count, limit) { index, controller in
      try body(items[items.index(items.startIndex, offsetBy: index)], controller)
    }
  }

  @inlinable static func group<Element>(
    of count: Int, _ limit: Int?, begin: @escaping @Sendable (Int, TaskController<Element>) throws -> Void
  ) -> ClosureTask where Output == [Element] {
    precondition(limit ?? 1 > 0, "a limit of \(limit ?? 1) starts no task: pass at least 1, or nil")
    return ClosureTask { controller in
      guard count > 0 else { return _ = controller.finish(with: []) }
      GroupRun(of: controller, count: count, limit: limit, begin: begin) { result in
        switch result {
        case .success(let value): .keeps(value)
        case .failure(let error): .decides(.failure(error))
        }
      } assemble: { (values: [Element]) in
        .success(values)
      }.start()
    }
  }

  /// Runs all tasks concurrently, or at most `limit` at any moment. The value has the results of all tasks, in the order in
  /// which they ended. A failure does not cancel other tasks, and the group itself does not fail.
  public static func inOrderOfCompletion<Element>(
    _ tasks: [ClosureTask<Element>], limit: Int? = nil
  ) -> ClosureTask where Output == [Result<Element, any Error>] {
    precondition(limit ?? 1 > 0, "a limit of \(limit ?? 1) starts no task: pass at least 1, or nil")
    let composed = Composed(tasks)
    return ClosureTask { controller in
      let count = composed.parts.count
      guard count > 0 else { return _ = controller.finish(with: []) }
      let endedCount = Atomic<Int>(0)
      let nextNumber: @Sendable () -> Int = { endedCount.add(1, ordering: .relaxed).newValue }
      GroupRun(
        of: controller, count: count, limit: limit, begin: { try composed.parts[$0].body($1) },
        judge: { .keeps((number: nextNumber(), result: $0)) },
        assemble: { .success($0.sorted { $0.number < $1.number }.map(\.result)) }
      ).start()
    }
  }

  /// Runs the tasks one after another. The values are in the order of the tasks, and the first failure is the outcome.
  @inlinable public static func sequence<Element>(_ tasks: [ClosureTask<Element>]) -> ClosureTask
  where Output == [Element] {
    group(tasks, limit: 1)
  }

  /// Makes a task for each item and runs them one after another. The closure makes a task when it is due to start.
  @inlinable public static func sequence<Items: RandomAccessCollection & Sendable, Element>(
    _ items: Items, _ makeTask: @escaping @Sendable (Items.Element) throws -> ClosureTask<Element>
  ) -> ClosureTask where Output == [Element] {
    group(items, limit: 1, makeTask)
  }

  /// Calls the closure for each item, one after another. Each call reports its outcome through its own controller.
  @inlinable public static func sequence<Items: RandomAccessCollection & Sendable, Element>(
    _ items: Items, each body: @escaping @Sendable (Items.Element, TaskController<Element>) throws -> Void
  ) -> ClosureTask where Output == [Element] {
    group(items, limit: 1, each: body)
  }

  /// Runs the tasks concurrently. The outcome is the first value, or ``ClosureTaskError/allFailed(_:)`` if there is none. Tasks
  /// begin in order, on the performing thread, until one succeeds. Others are cancelled before the completion is called.
  @inlinable public static func any(_ tasks: [ClosureTask]) -> ClosureTask {
    first(of: tasks) { result in
      switch result {
      case .success: .decides(result)
      case .failure(let error): .keeps(error)
      }
    }
  }

  /// Like `any`, but the outcome is the first value or error. Without tasks, it is ``ClosureTaskError/allFailed(_:)``.
  @inlinable
  public static func race(_ tasks: [ClosureTask]) -> ClosureTask { first(of: tasks) { .decides($0) } }

  @inlinable static func first(
    of tasks: [ClosureTask],
    judge: @escaping @Sendable (Result<Output, any Error>) -> GroupRun<Output, any Error, Output>.Verdict
  ) -> ClosureTask {
    let composed = Composed(tasks)
    return ClosureTask { controller in
      let count = composed.parts.count
      guard count > 0 else { throw ClosureTaskError.allFailed([]) }
      GroupRun(
        of: controller, count: count, limit: nil, begin: { try composed.parts[$0].body($1) }, judge: judge,
        assemble: { .failure(ClosureTaskError.allFailed(ErrorList($0))) }
      ).start()
    }
  }

  /// Runs tasks of any types concurrently, like `group`. The values are in the order of the arguments.
  public static func zip<each Part: Sendable>(_ tasks: repeat ClosureTask<each Part>) -> ClosureTask
  where Output == (repeat each Part) {
    var erased: [ClosureTask<any Sendable>] = []
    repeat erased.append((each tasks).map { $0 as any Sendable })
    return ClosureTask<[any Sendable]>.group(erased).map { values in
      var rest = values[...]
      func next<Value>(_ type: Value.Type) -> Value {
        // The cast cannot fail: the group's values are in the order of the tasks, each of its task's type.
        rest.removeFirst() as! Value
      }
      return (repeat next((each Part).self))
    }
  }
}

extension ClosureTask where Output == Void {
  /// Runs all tasks concurrently, or at most `limit` (1 or more) at any moment. A group without tasks ends immediately.
  ///
  /// The first failure is the outcome. After it no task starts, and those in flight are cancelled before the completion is
  /// called. (The group in John Sundell's article first waits for all tasks.)
  public static func group(_ tasks: [ClosureTask], limit: Int? = nil) -> ClosureTask {
    ClosureTask<[Void]>.group(tasks, limit: limit).map { _ in }
  }

  /// Runs the tasks one after another. The first failure is the outcome. A sequence without tasks ends immediately.
  public static func sequence(_ tasks: [ClosureTask]) -> ClosureTask { group(tasks, limit: 1) }
}
