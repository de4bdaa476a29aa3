extension ClosureTask {
  /// All tasks at once, or at most `limit` at any moment; the values are in the order of the tasks.
  ///
  /// The first failure is the outcome: no further task is started, and those in flight are cancelled before the
  /// completion is called. Tasks start on the performing thread and, with a limit, on the threads where others
  /// end. A limit below 1 is a programming error. A task that never ends keeps the group waiting: bound it with
  /// `timeout`.
  @inlinable
  public static func group<Element>(
    _ tasks: [ClosureTask<Element>], limit: Int? = nil
  ) -> ClosureTask where Output == [Element] {
    let composed = Composed(tasks)
    return group(tasks.indices, limit: limit) { composed.parts[$0] }
  }

  /// The tasks that the closure makes for the items, as a group. A task is made when it is started.
  @inlinable
  public static func group<Items: RandomAccessCollection & Sendable, Element>(
    _ items: Items, limit: Int? = nil,
    _ makeTask: @escaping @Sendable (Items.Element) throws -> ClosureTask<Element>
  ) -> ClosureTask where Output == [Element] {
    precondition(limit ?? 1 > 0, "a limit of \(limit ?? 1) in flight starts nothing; it must be at least 1")
    return ClosureTask { controller in
      guard !items.isEmpty else {
        controller.finish(with: [])
        return
      }
      GroupRun(of: controller, count: items.count, limit: limit) { index in
        try makeTask(items[items.index(items.startIndex, offsetBy: index)])
      } decide: { result in
        if case .failure(let error) = result { .failure(error) } else { nil }
      } assemble: { results in
        Result { try results.map { try $0.unsafelyUnwrapped.get() } }
      }.start()
    }
  }

  /// The tasks one after another; the values are in their order, and the first failure is the outcome.
  @inlinable
  public static func sequence<Element>(_ tasks: [ClosureTask<Element>]) -> ClosureTask
  where Output == [Element] {
    group(tasks, limit: 1)
  }

  /// The tasks that the closure makes for the items, one after another. A task is made when it is started.
  @inlinable
  public static func sequence<Items: RandomAccessCollection & Sendable, Element>(
    _ items: Items, _ makeTask: @escaping @Sendable (Items.Element) throws -> ClosureTask<Element>
  ) -> ClosureTask where Output == [Element] {
    group(items, limit: 1, makeTask)
  }
}
