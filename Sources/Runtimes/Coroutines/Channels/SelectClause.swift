/// One of the things that a `select` may carry out, and what to do after.
public struct SelectClause<Value> {
  enum Kind {
    case channel(ChannelClause<Value>)
    case timeout(Duration, CoTimer, () throws -> Value)
    case `default`(() throws -> Value)
  }

  let kind: Kind

  /// Receives an element. `body` gets nil if the channel is closed and drained, or cancelled.
  public static func receive<Element>(
    from channel: CoChannel<Element>, _ body: @escaping (Element?) throws -> Value
  ) -> SelectClause {
    SelectClause(kind: .channel(ReceiveClause(channel: channel, body: body)))
  }

  /// Sends an element. If the channel is closed or cancelled, `select` throws `CoChannelError`.
  public static func send<Element>(
    _ element: Element, to channel: CoChannel<Element>, _ body: @escaping () throws -> Value
  ) -> SelectClause {
    SelectClause(kind: .channel(SendClause(element: element, channel: channel, body: body)))
  }

  /// What to do if nothing could be carried out for so long.
  public static func timeout(
    _ duration: Duration, on timer: CoTimer = .system, _ body: @escaping () throws -> Value
  ) -> SelectClause {
    SelectClause(kind: .timeout(duration, timer, body))
  }

  /// What to do if nothing can be carried out at once.
  public static func `default`(_ body: @escaping () throws -> Value) -> SelectClause {
    SelectClause(kind: .default(body))
  }
}

extension SelectClause where Value == Void {
  /// Sends an element, and that is all.
  public static func send<Element>(_ element: Element, to channel: CoChannel<Element>) -> SelectClause {
    send(element, to: channel) {}
  }
}
