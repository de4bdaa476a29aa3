import RuntimeSupport
import Synchronization

/// Handles events one at a time, in order of arrival, on whichever thread finds the box free.
///
/// An event that finds the box busy, also one sent from inside a handler, is left for the thread that is
/// there: handlers neither overlap nor recurse, and nobody waits. A free box costs two atomic operations.
@usableFromInline
struct Mailbox<Event>: ~Copyable {
  @usableFromInline let box: LetterBox

  /// - Parameter isBusy: whether the box starts busy, for a setup phase that ends with `leave`.
  @inlinable init(isBusy: Bool = false) { box = LetterBox(entries: isBusy ? 1 : 0) }

  deinit { box.takeLetters(of: Event.self) { _ in } }

  /// Takes the box if it is free, for something that needs no event; ends with `leave`.
  @inlinable
  func tryEnter() -> Bool {
    box.entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
  }

  /// Handles an event now, or leaves it for the thread that is handling one. Whoever handles events looks afterwards, at
  /// what has changed without one.
  @inlinable
  func send(_ event: Event, _ handle: (Event) -> Void, look: () -> Void = {}) {
    if tryEnter() {
      handle(event)
      look()
      leave(handle, look: look)
    } else {
      post(event)
      handlePosted(handle, look: look)
    }
  }

  /// Handles what was posted, unless a thread is there that will.
  @inlinable
  func handlePosted(_ handle: (Event) -> Void, look: () -> Void = {}) {
    if knock() { work(1, handle, look: look) }
  }

  /// Asks for a look at what was written before. True when the box was free: the caller has to look and leave.
  @inlinable func knock() -> Bool { box.knock() }

  @inlinable
  func leave(_ handle: (Event) -> Void, look: () -> Void = {}) {
    let rest = box.entries.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { work(rest, handle, look: look) }
  }

  /// Leaves an event, which has its place among the others from now on; `handlePosted` must follow.
  @inlinable func post(_ event: Event) { box.post(event) }

  @inlinable
  func work(_ entriesSeen: Int, _ handle: (Event) -> Void, look: () -> Void) {
    var seen = entriesSeen
    repeat {
      box.takeLetters(of: Event.self, handle)
      look()
      seen = box.entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    } while seen != 0
  }
}

/// Letters that any thread leaves and one takes, and how often was knocked since.
///
/// Its type does not know the letters', so that a generic class destroys it without looking up metadata. All letters of one
/// have the same type; who has it takes them out before it goes.
///
/// `@unchecked Sendable`: who has it, and shares it, puts in what is `Sendable`; a letter belongs to the thread that took it.
@usableFromInline
struct LetterBox: ~Copyable, @unchecked Sendable {
  @usableFromInline
  struct Letter<Event> {
    @usableFromInline let event: Event
    /// The one before.
    @usableFromInline var next: UnsafeMutableRawPointer?

    @inlinable init(_ event: Event) { self.event = event }
  }

  @usableFromInline let entries: Atomic<Int>
  /// Letters not yet taken, latest first.
  @usableFromInline let latest = Atomic<UnsafeMutableRawPointer?>(nil)

  @inlinable init(entries: Int = 0) { self.entries = Atomic(entries) }

  @inlinable var isEmpty: Bool { latest.load(ordering: .relaxed) == nil }

  @inlinable func knock() -> Bool { entries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 }

  @inlinable
  func post<Event>(_ event: Event) {
    let letter = UnsafeMutablePointer<Letter<Event>>.allocate(capacity: 1)
    letter.initialize(to: Letter(event))
    _ = latest.change {
      letter.pointee.next = $0
      return .some(UnsafeMutableRawPointer(letter))
    }
  }

  /// Takes out what was left so far, earliest first.
  @inlinable
  func takeLetters<Event>(of type: Event.Type, _ handle: (Event) -> Void) {
    var rest = latest.exchange(nil, ordering: .acquiringAndReleasing)
    var earliest: UnsafeMutableRawPointer?
    while let memory = rest {
      let letter = memory.assumingMemoryBound(to: Letter<Event>.self)
      rest = letter.pointee.next
      letter.pointee.next = earliest
      earliest = memory
    }
    while let memory = earliest {
      let letter = memory.assumingMemoryBound(to: Letter<Event>.self)
      earliest = letter.pointee.next
      let event = letter.move().event
      letter.deallocate()
      handle(event)
    }
  }
}

/// `@unchecked`: see `LetterBox`.
extension Mailbox: @unchecked Sendable where Event: Sendable {}
