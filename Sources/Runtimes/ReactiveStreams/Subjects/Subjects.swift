import Synchronization

/// A subject with a current value, which it sends to each new subscriber on demand, and after each change. A subscriber without
/// demand at a change receives the latest value on its next demand.
///
/// `@unchecked Sendable`: a lock protects `latest`. Only event handlers, called one at a time, touch the other variables.
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

  /// Creates a subject whose current value is `value`.
  public init(_ value: Output) {
    current = value
    latest = Mutex(Latest(value: value))
  }

  /// The current value, which stays the same after the end of the stream. Setting it sends the new value.
  public var value: Output {
    get { latest.withLock { $0.value } }
    set { send(newValue) }
  }

  public func send(_ value: Output) {
    // The swap moves the previous value into this variable, so that it is released outside the lock.
    var kept = value
    send(.value(value)) { swap(&$0.value, &kept) }
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    send(.completion(completion)) { $0.hasEnded = true }
  }

  /// Stores a value and queues its event under one lock, in the same order. Handles the event outside the lock.
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

/// A subject that sends each value to the subscribers with demand at that time. Other subscribers miss the value.
///
/// All subscribers receive values in the same order. If another `send` is running, even on the same thread, a new `send`
/// returns immediately, and the thread of the running `send` sends the new value.
///
/// `@unchecked Sendable`: only the thread that handles the mailbox's events touches `members` and `completion`.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  @usableFromInline let mailbox = Mailbox<SubjectEvent<Output, Failure>>()
  @usableFromInline @exclusivity(unchecked) var members = SubjectSubscriptionList<Output, Failure>()
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?

  /// Creates a subject without a current value. Values that are sent before a subscription are lost.
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
