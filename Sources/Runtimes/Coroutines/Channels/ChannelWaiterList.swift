/// Those who wait, in the order in which they came. Whoever owns the list has the lock.
@usableFromInline struct ChannelWaiterList {
  @usableFromInline private(set) var first: UnsafeMutablePointer<ChannelWaiter>?
  private var last: UnsafeMutablePointer<ChannelWaiter>?

  @usableFromInline init() {}

  @inlinable var isEmpty: Bool { first == nil }

  @usableFromInline mutating func append(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {
    waiter.pointee.next = nil
    waiter.pointee.previous = last
    waiter.pointee.isListed = true
    if let last { last.pointee.next = waiter } else { first = waiter }
    last = waiter
  }

  /// Does nothing if it is not listed.
  @usableFromInline mutating func remove(_ waiter: UnsafeMutablePointer<ChannelWaiter>) {
    guard waiter.pointee.isListed else { return }
    let (next, previous) = (waiter.pointee.next, waiter.pointee.previous)
    if let previous { previous.pointee.next = next } else { first = next }
    if let next { next.pointee.previous = previous } else { last = previous }
    waiter.pointee.isListed = false
  }

  @inlinable mutating func removeFirst() -> UnsafeMutablePointer<ChannelWaiter>? {
    guard let first else { return nil }
    remove(first)
    return first
  }
}
