/// A clause that exchanges something with a channel, of whatever elements.
class ChannelClause<Value> {
  /// What was done under the lock, to be completed outside.
  typealias Completion = () throws -> Value

  /// Where the channel is: the order in which several are locked.
  var channelAddress: UnsafeRawPointer { preconditionFailure("a clause overrides this") }
  func lock() {}
  func unlock() {}
  /// Under the lock: carries it out if that needs no waiting.
  func attempt() -> Completion? { nil }
  /// Memory for the element, which has one if it is to be sent.
  func makeSlot() -> UnsafeMutableRawPointer { preconditionFailure("a clause overrides this") }
  /// Under the lock.
  func enlist(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {}
  /// Under the lock.
  func withdraw(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {}
  /// Frees the slot of a clause that another has served, or the channel's end has.
  func complete(_ slot: UnsafeMutableRawPointer, end: CoChannelError?) throws -> Value {
    preconditionFailure("a clause overrides this")
  }
  /// Frees the slot of a clause that nobody has served.
  func discard(_ slot: UnsafeMutableRawPointer) {}
}

final class ReceiveClause<Element: Sendable, Value>: ChannelClause<Value> {
  private let channel: CoChannel<Element>
  private let body: (Element?) throws -> Value

  init(channel: CoChannel<Element>, body: @escaping (Element?) throws -> Value) {
    self.channel = channel
    self.body = body
  }

  override var channelAddress: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(channel).toOpaque())
  }
  override func lock() { channel.lock.lock() }
  override func unlock() { channel.lock.unlock() }

  override func attempt() -> Completion? {
    switch channel.tryReceive() {
    case .received(let element, let wake):
      return { [body] in
        wake?()
        return try body(element)
      }
    case .ended: return { [body] in try body(nil) }
    case .empty: return nil
    }
  }

  override func makeSlot() -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(UnsafeMutablePointer<Element>.allocate(capacity: 1))
  }

  override func enlist(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {
    channel.state.receivers.append(waiter)
  }
  override func withdraw(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {
    channel.state.receivers.remove(waiter)
  }

  override func complete(_ slot: UnsafeMutableRawPointer, end: CoChannelError?) throws -> Value {
    let element = end == nil ? slot.assumingMemoryBound(to: Element.self).move() : nil
    slot.deallocate()
    return try body(element)
  }

  override func discard(_ slot: UnsafeMutableRawPointer) { slot.deallocate() }
}

final class SendClause<Element: Sendable, Value>: ChannelClause<Value> {
  private let element: Element
  private let channel: CoChannel<Element>
  private let body: () throws -> Value

  init(element: Element, channel: CoChannel<Element>, body: @escaping () throws -> Value) {
    self.element = element
    self.channel = channel
    self.body = body
  }

  override var channelAddress: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(channel).toOpaque())
  }
  override func lock() { channel.lock.lock() }
  override func unlock() { channel.lock.unlock() }

  override func attempt() -> Completion? {
    switch channel.trySend(element) {
    case .sent(let leftover):
      return { [body] in
        if case .wake(let wake) = leftover { wake() }
        return try body()
      }
    case .ended(let error): return { throw error }
    case .full: return nil
    }
  }

  override func makeSlot() -> UnsafeMutableRawPointer {
    let slot = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    slot.initialize(to: element)
    return UnsafeMutableRawPointer(slot)
  }

  override func enlist(_ waiter: UnsafeMutablePointer<ChannelWaiter>) { channel.state.senders.append(waiter) }
  override func withdraw(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {
    channel.state.senders.remove(waiter)
  }

  override func complete(_ slot: UnsafeMutableRawPointer, end: CoChannelError?) throws -> Value {
    if let end {
      discard(slot)
      throw end
    }
    // Whoever received it has moved it out.
    slot.deallocate()
    return try body()
  }

  override func discard(_ slot: UnsafeMutableRawPointer) {
    slot.assumingMemoryBound(to: Element.self).deinitialize(count: 1)
    slot.deallocate()
  }
}
