extension Coroutine {
  /// Carries out exactly one of several clauses: one that can be, waiting until one can; inside a coroutine.
  ///
  /// Where several can be, each has the same chance. With a `default` clause it does not wait, with a `timeout` not
  /// longer than that. The body of the one clause runs after, outside of all locks; elements of the others stay where
  /// they are.
  ///
  /// - Throws: what the body throws, `CoChannelError` if the clause was to send to a channel that has ended, and
  ///   `CancellationError` if the coroutine is cancelled; then no clause is carried out.
  @inlinable public static func select<Value>(
    _ clauses: SelectClause<Value>..., file: StaticString = #fileID, line: UInt = #line
  ) throws -> Value {
    try select(clauses, file: file, line: line)
  }

  /// The same for clauses that are made at run time. They may be used again, by this coroutine.
  @inlinable public static func select<Value>(
    _ clauses: [SelectClause<Value>], file: StaticString = #fileID, line: UInt = #line
  ) throws -> Value {
    let site = AwaitSite("one of several channels", file, line)
    return try clauses[Selection.run(clauses.map(\.clause), at: site)].body()
  }
}
