import Synchronization

/// Handles events one at a time, in order of arrival, on whichever thread finds the box free.
///
/// An event that finds the box busy, also one sent from inside a handler, is left for the thread that is
/// there: handlers neither overlap nor recurse, and nobody waits. A free box costs two atomic operations.
@usableFromInline
struct Mailbox<Event>: ~Copyable {
  @usableFromInline
  struct Letter {
    @usableFromInline let event: Event
    @usableFromInline var next: UnsafeMutablePointer<Letter>?

    @inlinable init(_ event: Event) { self.event = event }
  }

  @usableFromInline let entries: Atomic<Int>
  /// Letters not yet taken, latest first.
  @usableFromInline let latest = Atomic<UnsafeMutablePointer<Letter>?>(nil)

  /// - Parameter isBusy: whether the box starts busy, for a setup phase that ends with `leave`.
  @inlinable init(isBusy: Bool = false) { entries = Atomic(isBusy ? 1 : 0) }

  deinit {
    var rest = latest.exchange(nil, ordering: .acquiring)
    while let letter = rest {
      rest = letter.pointee.next
      letter.deinitialize(count: 1)
      letter.deallocate()
    }
  }

  /// Takes the box if it is free, for something that needs no event; ends with `leave`.
  @inlinable
  func tryEnter() -> Bool { entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged }

  /// Handles an event now, or leaves it for the thread that is handling one. Whoever handles events looks afterwards, at
  /// what has changed without one.
  @inlinable
  func send(_ event: Event, _ handle: (Event) -> Void, look: () -> Void = {}) {
    take(queueUp(event), event, handle, look: look)
  }

  /// What is left to do for an event that has its place among the others.
  @usableFromInline enum Turn { case handle, work, nothing }

  /// The first half of `send`, for whoever has to fix an event's place under a lock, where nothing may be handled.
  @inlinable
  func queueUp(_ event: Event) -> Turn {
    if tryEnter() { return .handle }
    post(event)
    return knock() ? .work : .nothing
  }

  /// The second half.
  @inlinable
  func take(_ turn: Turn, _ event: Event, _ handle: (Event) -> Void, look: () -> Void = {}) {
    switch turn {
    case .handle:
      handle(event)
      look()
      leave(handle, look: look)
    case .work: work(1, handle, look: look)
    case .nothing: break
    }
  }

  /// Asks for a look at what was written before. True when the box was free: the caller has to look and leave.
  @inlinable func knock() -> Bool { entries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 }

  @inlinable
  func leave(_ handle: (Event) -> Void, look: () -> Void = {}) {
    let rest = entries.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { work(rest, handle, look: look) }
  }

  @inlinable
  func post(_ event: Event) {
    let letter = UnsafeMutablePointer<Letter>.allocate(capacity: 1)
    letter.initialize(to: Letter(event))
    var first = latest.load(ordering: .relaxed)
    while true {
      letter.pointee.next = first
      let result = latest.weakCompareExchange(expected: first, desired: letter, ordering: .releasing)
      if result.exchanged { return }
      first = result.original
    }
  }

  @inlinable
  func work(_ entriesSeen: Int, _ handle: (Event) -> Void, look: () -> Void) {
    var seen = entriesSeen
    repeat {
      handleLetters(handle)
      look()
      seen = entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    } while seen != 0
  }

  /// Handles what was left so far.
  @inlinable
  func handleLetters(_ handle: (Event) -> Void) {
    var rest = latest.exchange(nil, ordering: .acquiringAndReleasing)
    var earliest: UnsafeMutablePointer<Letter>?
    while let letter = rest {
      rest = letter.pointee.next
      letter.pointee.next = earliest
      earliest = letter
    }
    while let letter = earliest {
      earliest = letter.pointee.next
      let event = letter.move().event
      letter.deallocate()
      handle(event)
    }
  }
}

/// `@unchecked`: both members are atomics; a letter belongs to the thread that took it off the list.
extension Mailbox: @unchecked Sendable where Event: Sendable {}
