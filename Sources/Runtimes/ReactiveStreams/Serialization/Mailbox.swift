import RuntimeSupport
import Synchronization

/// Handles events one at a time, in order of arrival, on the thread that finds the box free.
///
/// An event that finds the box busy, also one from inside a handler, is left for the handling thread: handlers neither overlap
/// nor recurse, and no thread waits. A free box costs two atomic operations.
@usableFromInline struct Mailbox<Event>: ~Copyable {
  @usableFromInline let box: LetterBox

  /// - Parameter isBusy: whether the box starts busy, for a setup phase that ends with `leave`.
  @inlinable init(isBusy: Bool = false) { box = LetterBox(entries: isBusy ? 1 : 0) }

  deinit { box.takeLetters(of: Event.self) { _ in } }

  /// Takes the box if it is free, for work that needs no event; ends with `leave`.
  @inlinable func tryEnter() -> Bool {
    box.entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
  }

  /// Handles an event now, or leaves it for the handling thread, which calls `look` afterwards for changes without an event.
  @inlinable func send(_ event: Event, _ handle: (Event) -> Void, look: () -> Void = {}) {
    if tryEnter() {
      handle(event)
      look()
      leave(handle, look: look)
    } else {
      post(event)
      handlePosted(handle, look: look)
    }
  }

  /// Handles posted events, unless another thread does.
  @inlinable func handlePosted(_ handle: (Event) -> Void, look: () -> Void = {}) {
    if knock() { work(1, handle, look: look) }
  }

  /// Requests a look at earlier writes. True when the box was free: the caller has to look and leave.
  @inlinable func knock() -> Bool { box.knock() }

  @inlinable func leave(_ handle: (Event) -> Void, look: () -> Void = {}) {
    let rest = box.entries.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { work(rest, handle, look: look) }
  }

  /// Leaves an event, whose place among the others is fixed from now on; `handlePosted` must follow.
  @inlinable func post(_ event: Event) { box.post(event) }

  @inlinable func work(_ entriesSeen: Int, _ handle: (Event) -> Void, look: () -> Void) {
    var seen = entriesSeen
    repeat {
      box.takeLetters(of: Event.self, handle)
      look()
      seen = box.entries.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
    } while seen != 0
  }
}

/// Letters that any thread leaves and one takes, and the number of knocks since.
///
/// Its type does not include the letters', so that a generic class destroys it without looking up metadata. All letters of a
/// box have the same type; its owner takes them out before it is destroyed.
///
/// `@unchecked Sendable`: an owner that shares it posts only `Sendable` letters; a letter belongs to the thread that took it.
@usableFromInline struct LetterBox: ~Copyable, @unchecked Sendable {
  @usableFromInline struct Letter<Event> {
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

  @inlinable func post<Event>(_ event: Event) {
    let letter = UnsafeMutablePointer<Letter<Event>>.allocate(capacity: 1)
    letter.initialize(to: Letter(event))
    _ = latest.change {
      letter.pointee.next = $0
      return .some(UnsafeMutableRawPointer(letter))
    }
  }

  /// Takes out the letters, earliest first.
  @inlinable func takeLetters<Event>(of type: Event.Type, _ handle: (Event) -> Void) {
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
