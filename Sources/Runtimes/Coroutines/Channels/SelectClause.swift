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
    return SelectClause(.channel(clause)) { try body(clause.takeElement()) }
  }

  /// Sends an element. If the channel is closed or cancelled, `select` throws `CoChannelError`, or the cause.
  @inlinable public static func send<Element>(
    _ element: Element, to channel: CoChannel<Element>, _ body: @escaping () throws -> Value
  ) -> SelectClause {
    let clause = SendClause(element, to: channel)
    return SelectClause(.channel(clause)) {
      if let end = clause.end { throw channel.failure(after: end) }
      return try body()
    }
  }

  /// What to do if nothing could be carried out for so long.
  public static func timeout(
    _ duration: Duration, on timer: CoTimer = .system, _ body: @escaping () throws -> Value
  ) -> SelectClause {
    SelectClause(.timeout(duration, on: timer), body: body)
  }

  /// What to do if nothing can be carried out at once.
  public static func `default`(_ body: @escaping () throws -> Value) -> SelectClause {
    SelectClause(.fallback, body: body)
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

extension Coroutine {
  /// Carries out exactly one of several clauses, waiting until one can be, and runs its body; inside a coroutine.
  ///
  /// Where several can be, each has the same chance. With a `default` clause it does not wait, with a `timeout` not
  /// longer than that.
  ///
  /// - Throws: what the body throws, `CoChannelError`, or the cause, if the clause was to send to a channel that has ended, and
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

/// A clause of a `select`, whatever it exchanges.
@usableFromInline enum AnySelectClause {
  case channel(ChannelClause)
  case timeout(Duration, on: CoTimer)
  /// Takes part when no other can.
  case fallback
}

/// A clause that exchanges something with a channel, of whatever elements.
@usableFromInline class ChannelClause {
  /// What a `select` does with a clause. All but the slot's own are done under the channel's lock.
  @usableFromInline enum Operation {
    case lock, unlock
    /// Carries it out if that needs no waiting, and leaves who is to be woken in `wake`. Returns whether it did.
    case attempt
    /// Joins and leaves those who wait.
    case enlist, withdraw
    /// Makes a slot, for an element to be received or with the one to be sent.
    case makeSlot
    /// Frees the slot after the clause was served, or told the channel's end.
    case takeSlot
    /// Frees it after it was not.
    case dropSlot
  }

  /// What depends on the type of the elements. A closure that captures nothing, and not methods that subclasses override:
  /// those of a generic class run unspecialised.
  @usableFromInline let operate: (ChannelClause, Operation) -> Bool
  /// Where the channel is: the order in which several are locked.
  let channelAddress: UnsafeRawPointer
  @usableFromInline @exclusivity(unchecked) final var wake: ChannelWake?
  /// The channel has ended.
  @usableFromInline @exclusivity(unchecked) final var end: CoChannelError?
  /// While it waits.
  @usableFromInline @exclusivity(unchecked) final var waiter: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline @exclusivity(unchecked) final var slot: UnsafeMutableRawPointer?

  @usableFromInline init(
    channelAddress: UnsafeRawPointer, operate: @escaping (ChannelClause, Operation) -> Bool
  ) {
    self.channelAddress = channelAddress
    self.operate = operate
  }

  @discardableResult final func callAsFunction(_ operation: Operation) -> Bool { operate(self, operation) }
}

@usableFromInline final class ReceiveClause<Element: Sendable>: ChannelClause {
  @usableFromInline let channel: CoChannel<Element>
  @usableFromInline @exclusivity(unchecked) var element: Element?

  @inlinable init(_ channel: CoChannel<Element>) {
    self.channel = channel
    super.init(channelAddress: UnsafeRawPointer(Unmanaged.passUnretained(channel).toOpaque())) {
      clause, operation in
      unsafeDowncast(clause, to: ReceiveClause.self).perform(operation)
    }
  }

  @inlinable func takeElement() -> Element? {
    let taken = element
    element = nil
    return taken
  }

  @inlinable func perform(_ operation: Operation) -> Bool {
    switch operation {
    case .lock: channel.lock.lock()
    case .unlock: channel.lock.unlock()
    case .attempt:
      switch channel.tryReceive() {
      case .received(let received, let wake):
        element = received
        self.wake = wake
      case .ended(let error): end = error
      case .empty: return false
      }
    case .enlist: channel.state.receivers.append(waiter.unsafelyUnwrapped)
    case .withdraw: channel.state.receivers.remove(waiter.unsafelyUnwrapped)
    case .makeSlot: slot = UnsafeMutableRawPointer(UnsafeMutablePointer<Element>.allocate(capacity: 1))
    case .takeSlot:
      let slot = slot.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
      if end == nil { element = slot.move() }
      slot.deallocate()
    case .dropSlot: slot.unsafelyUnwrapped.assumingMemoryBound(to: Element.self).deallocate()
    }
    return true
  }
}

@usableFromInline final class SendClause<Element: Sendable>: ChannelClause {
  @usableFromInline let element: Element
  @usableFromInline let channel: CoChannel<Element>
  /// What the element has replaced, to be destroyed outside of the lock.
  @usableFromInline @exclusivity(unchecked) var replaced: Element?

  @inlinable init(_ element: Element, to channel: CoChannel<Element>) {
    self.element = element
    self.channel = channel
    super.init(channelAddress: UnsafeRawPointer(Unmanaged.passUnretained(channel).toOpaque())) {
      clause, operation in
      unsafeDowncast(clause, to: SendClause.self).perform(operation)
    }
  }

  @inlinable func perform(_ operation: Operation) -> Bool {
    switch operation {
    case .lock: channel.lock.lock()
    case .unlock: channel.lock.unlock()
    case .attempt:
      switch channel.trySend(element) {
      case .sent(.nothing): break
      case .sent(.wake(let wake)): self.wake = wake
      case .sent(.destroy(let element)): replaced = element
      case .ended(let error): end = error
      case .full: return false
      }
    case .enlist: channel.state.senders.append(waiter.unsafelyUnwrapped)
    case .withdraw: channel.state.senders.remove(waiter.unsafelyUnwrapped)
    case .makeSlot:
      let slot = UnsafeMutablePointer<Element>.allocate(capacity: 1)
      slot.initialize(to: element)
      self.slot = UnsafeMutableRawPointer(slot)
    case .takeSlot:
      // The receiver has moved the element out of the slot.
      if end != nil { return perform(.dropSlot) }
      slot.unsafelyUnwrapped.assumingMemoryBound(to: Element.self).deallocate()
    case .dropSlot:
      let slot = slot.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
      slot.deinitialize(count: 1)
      slot.deallocate()
    }
    return true
  }
}
