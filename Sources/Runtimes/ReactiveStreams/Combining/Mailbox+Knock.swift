import Synchronization

/// A mailbox beside things that change without a letter: after events and knocks alike, somebody looks.
extension Mailbox {
  /// Handles an event and looks, or leaves both for the thread that is there.
  @inlinable
  func send(_ event: Event, _ handle: (Event) -> Void, look: () -> Void) {
    if entries.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged {
      handle(event)
      look()
      leave(handle, look: look)
    } else {
      post(event)
      if entries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 {
        work(1, handle, look: look)
      }
    }
  }

  /// Asks for a look at what was written before. True when the box was free: the caller has to look and leave.
  @inlinable
  func knock() -> Bool { entries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 }

  @inlinable
  func leave(_ handle: (Event) -> Void, look: () -> Void) {
    let rest = entries.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if rest != 0 { work(rest, handle, look: look) }
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
}
