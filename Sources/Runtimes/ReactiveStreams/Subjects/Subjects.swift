import Synchronization

/// Holds a value, sends it to each new subscriber on demand, and every change after it. A subscriber without demand when the
/// value changes gets the latest on its next demand: older values are skipped, none is repeated.
///
/// `@unchecked Sendable`: the variables belong to the mailbox's handler, but for `latest`, which has a lock.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  private struct Latest {
    var value: Output
    var hasEnded = false
  }

  @usableFromInline let mailbox = Mailbox<SubjectEvent<Output, Failure>>()
  @usableFromInline @exclusivity(unchecked) var members = SubjectSubscriptionList<Output, Failure>()
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  private let latest: Mutex<Latest>
  private var current: Output

  /// The value is the current one until another is sent.
  public init(_ value: Output) {
    current = value
    latest = Mutex(Latest(value: value))
  }

  /// The last value before the end. Setting it sends.
  public var value: Output {
    get { latest.withLock { $0.value } }
    set { send(newValue) }
  }

  public func send(_ value: Output) {
    // The previous value is released outside of the lock.
    var kept = value
    send(.value(value)) { swap(&$0.value, &kept) }
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    send(.completion(completion)) { $0.hasEnded = true }
  }

  /// Events have the order in which values are kept: they get their place under the lock, and are handled outside of it.
  private func send(_ event: SubjectEvent<Output, Failure>, keeping keep: (inout Latest) -> Void) {
    let hasEntered: Bool? = latest.withLock {
      if $0.hasEnded { return nil }
      keep(&$0)
      let hasEntered = mailbox.tryEnter()
      if !hasEntered { mailbox.post(event) }
      return hasEntered
    }
    if hasEntered == true {
      handle(event)
      mailbox.leave(handle)
    } else if hasEntered == false {
      mailbox.handlePosted(handle)
    }
  }

  @usableFromInline func deliver(_ value: Output) {
    current = value
    members.forEach { $0.isBehind = !$0.offer(value) }
  }

  @usableFromInline func catchUp(_ member: SubjectSubscription<Output, Failure>) {
    if completion == nil { member.isBehind = !member.offer(current) }
  }

  @usableFromInline
  func asked(by member: SubjectSubscription<Output, Failure>) { mailbox.send(.demand(member), handle) }
}

extension CurrentValueSubject: MailboxSubject {}

/// Sends each value to the subscribers with demand at that moment; the others miss it.
///
/// Every subscriber sees all sends in the same order. A send during another one, also from inside a subscriber, is left to that
/// thread and returns at once.
///
/// `@unchecked Sendable`: `members` and `completion` belong to the mailbox's handler.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  @usableFromInline let mailbox = Mailbox<SubjectEvent<Output, Failure>>()
  @usableFromInline @exclusivity(unchecked) var members = SubjectSubscriptionList<Output, Failure>()
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?

  /// It keeps no value: values sent before a subscription are lost.
  public init() {}

  @inlinable public func send(_ value: Output) {
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
