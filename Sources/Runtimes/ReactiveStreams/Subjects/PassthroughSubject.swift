/// Sends each value to the subscribers that have asked for one at that moment; the others miss it.
///
/// Every subscriber sees all sends in the same order. One that finds another under way, also from inside a subscriber, is
/// left to that thread and returns at once.
///
/// `@unchecked Sendable`: `members` and `completion` belong to the mailbox's handler.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  @usableFromInline let mailbox = Mailbox<SubjectEvent<Output, Failure>>()
  @usableFromInline @exclusivity(unchecked) var members = SubjectSubscriptionList<Output, Failure>()
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?

  /// Keeps no value: what is sent before somebody subscribes is lost.
  public init() {}

  @inlinable
  public func send(_ value: Output) {
    if mailbox.tryEnter() {
      deliver(value)
      mailbox.leave { handle($0) }
    } else {
      mailbox.send(.value(value), handle)
    }
  }

  @inlinable @inline(__always) func deliver(_ value: Output) { members.forEach { _ = $0.offer(value) } }
}

extension PassthroughSubject: MailboxSubject {}
