import RuntimeSupport
import Synchronization

/// Handles events one at a time, in order of arrival, without a lock.
///
/// A thread that sends an event to a free mailbox handles it. If the mailbox is busy, even with a handler on the same thread,
/// the event is queued for the handling thread. So handlers neither overlap nor recurse, and no thread waits.
@usableFromInline struct Mailbox<Event>: ~Copyable {
  @usableFromInline let box: LetterBox

  /// - Parameter isBusy: whether the mailbox starts busy, for a setup phase that ends with `leave`.
  @inlinable init(isBusy: Bool = false) { box = LetterBox(entries: isBusy ? 1 : 0) }

  deinit { box.takeLetters(of: Event.self) { _ in } }

  /// Makes the mailbox busy if it is free, so that the caller can work without an event. The caller must then call `leave`.
  @inlinable func tryEnter() -> Bool {
    box.entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
  }

  /// Handles an event now, or leaves it to the thread that is handling events. `look` reacts to changes without an event.
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

  /// Handles queued events, unless another thread is handling them.
  @inlinable func handlePosted(_ handle: (Event) -> Void, look: () -> Void = {}) {
    if knock() { work(1, handle, look: look) }
  }

  /// Makes the thread that handles events call `look`. Returns true if none does: the caller must then call `look` and `leave`.
  @inlinable func knock() -> Bool { box.knock() }

  @inlinable func leave(_ handle: (Event) -> Void, look: () -> Void = {}) {
    let rest = box.entries.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { work(rest, handle, look: look) }
  }

  /// Appends an event to the queue. The caller must then call `handlePosted`.
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

/// A queue of events, all of one type, to which any thread adds and from which one thread takes.
///
/// Not generic, so that a generic owner destroys the queue without looking up metadata. The owner must empty the queue first.
///
/// `@unchecked Sendable`: an owner shared by threads adds only `Sendable` events. An event belongs to the thread that took it.
@usableFromInline struct LetterBox: ~Copyable, @unchecked Sendable {
  @usableFromInline struct Letter<Event> {
    @usableFromInline let event: Event
    /// The list node that was added before this one.
    @usableFromInline var next: UnsafeMutableRawPointer?

    @inlinable init(_ event: Event) { self.event = event }
  }

  @usableFromInline let entries: Atomic<Int>
  /// A linked list of the events that have not been taken, latest first.
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

  /// Takes all events and passes them to the closure, earliest first.
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

/// `@unchecked Sendable` for the reason given at `LetterBox`.
extension Mailbox: @unchecked Sendable where Event: Sendable {}
