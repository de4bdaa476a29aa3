/// One of the things that a `select` may carry out, and what to do after.
public struct SelectClause<Value> {
  @usableFromInline let clause: AnySelectClause
  @usableFromInline let body: () throws -> Value

  @inlinable init(_ clause: AnySelectClause, body: @escaping () throws -> Value) {
    self.clause = clause
    self.body = body
  }

  /// Receives an element. `body` gets nil if the channel is closed and drained, or cancelled.
  @inlinable public static func receive<Element>(
    from channel: CoChannel<Element>, _ body: @escaping (Element?) throws -> Value
  ) -> SelectClause {
    let clause = ReceiveClause(channel)
    return SelectClause(clause) { try body(clause.takeElement()) }
  }

  /// Sends an element. If the channel is closed or cancelled, `select` throws `CoChannelError`.
  @inlinable public static func send<Element>(
    _ element: Element, to channel: CoChannel<Element>, _ body: @escaping () throws -> Value
  ) -> SelectClause {
    let clause = SendClause(element, to: channel)
    return SelectClause(clause) {
      if let end = clause.end { throw end }
      return try body()
    }
  }

  /// What to do if nothing could be carried out for so long.
  public static func timeout(
    _ duration: Duration, on timer: CoTimer = .system, _ body: @escaping () throws -> Value
  ) -> SelectClause {
    SelectClause(TimeoutClause(duration, on: timer), body: body)
  }

  /// What to do if nothing can be carried out at once.
  public static func `default`(_ body: @escaping () throws -> Value) -> SelectClause {
    SelectClause(DefaultClause(), body: body)
  }
}

extension SelectClause where Value == Void {
  /// Sends an element, and that is all.
  @inlinable public static func send<Element>(
    _ element: Element, to channel: CoChannel<Element>
  ) -> SelectClause {
    send(element, to: channel) {}
  }
}
