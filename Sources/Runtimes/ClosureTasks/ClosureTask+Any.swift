import RuntimeTiming

extension ClosureTask {
  /// The first value; the other tasks are cancelled then, before the completion is called. They are begun in their
  /// order, on the performing thread, until one has succeeded.
  ///
  /// If all fail, ``ClosureTaskError/allFailed(_:)``: so does no task at all.
  @inlinable
  public static func any(_ tasks: [ClosureTask]) -> ClosureTask {
    first(of: tasks) { result in
      if case .success = result { result } else { nil }
    }
  }

  /// The first outcome, value or error; the other tasks are cancelled then, before the completion is called. They are
  /// begun in their order, on the performing thread, until one has ended.
  ///
  /// Without tasks it is ``ClosureTaskError/allFailed(_:)``.
  @inlinable
  public static func race(_ tasks: [ClosureTask]) -> ClosureTask { first(of: tasks) { $0 } }

  @inlinable
  static func first(
    of tasks: [ClosureTask],
    decide: @escaping @Sendable (Result<Output, any Error>) -> Result<Output, any Error>?
  ) -> ClosureTask {
    let composed = Composed(tasks)
    return ClosureTask { controller in
      let count = composed.parts.count
      guard count > 0 else { throw ClosureTaskError.allFailed([]) }
      GroupRun(of: controller, count: count, limit: nil) {
        composed.parts[$0]
      } decide: { result in
        decide(result)
      } assemble: { results in
        .failure(
          ClosureTaskError.allFailed(
            ErrorList(results.compactMap { if case .failure(let error) = $0 { error } else { nil } })))
      }.start()
    }
  }
}
