import RuntimeSupport
import Synchronization

/// A subscription to a subject. It counts demand, and sends through closures that are specialised for the subscriber's type.
///
/// `@unchecked Sendable`: only the thread that handles the subject's mailbox touches variables other than atomics.
@usableFromInline
final class SubjectSubscription<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  @usableFromInline enum Change { case demand, cancellation }

  @usableFromInline enum Signal {
    case subscription
    case completion(Subscribers.Completion<Failure>)
    /// Sends nothing and releases the subscriber.
    case drop
  }

  @usableFromInline let demand = Atomic<Int>(0)
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let sendValue: (SubjectSubscription, Output) -> Subscribers.Demand
  @usableFromInline let sendSignal: (SubjectSubscription, Signal) -> Void
  @usableFromInline let onChange: @Sendable (SubjectSubscription, Change) -> Void
  @usableFromInline @exclusivity(unchecked) var subscriber = InlineStorage((0, 0, 0, 0))
  @usableFromInline @exclusivity(unchecked) var holdsSubscriber = true
  /// Whether the subscriber has not received the current value of a `CurrentValueSubject`.
  @usableFromInline @exclusivity(unchecked) var isBehind = false
  @usableFromInline @exclusivity(unchecked) var isListed = false
  @usableFromInline @exclusivity(unchecked) var next: Unmanaged<SubjectSubscription>?
  @usableFromInline @exclusivity(unchecked) var previous: Unmanaged<SubjectSubscription>?

  @inlinable
  init<S: Subscriber>(_ subscriber: S, onChange: @escaping @Sendable (SubjectSubscription, Change) -> Void)
  where S.Input == Output, S.Failure == Failure {
    self.onChange = onChange
    sendValue = { member, value in
      member.subscriber.modify(S.self) { $0.receive(value) }
    }
    sendSignal = { member, signal in
      switch signal {
      case .subscription: member.subscriber.modify(S.self) { $0.receive(subscription: member) }
      case .completion(let completion):
        member.holdsSubscriber = false
        var subscriber = member.subscriber.take(S.self)
        subscriber.receive(completion: completion)
      case .drop:
        member.holdsSubscriber = false
        _ = member.subscriber.take(S.self)
      }
    }
    self.subscriber.put(subscriber)
  }

  deinit { drop() }

  @usableFromInline func request(_ asked: Subscribers.Demand) {
    guard asked > .none else { return }
    demand.add(asked)
    onChange(self, .demand)
  }

  @usableFromInline func cancel() {
    if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) { onChange(self, .cancellation) }
  }

  // MARK: Only for the thread that handles the subject's mailbox

  @usableFromInline func start() { sendSignal(self, .subscription) }

  /// Sends a value if there is demand. Returns false if there is none; only a `CurrentValueSubject` then sends the value later.
  @inlinable func offer(_ value: Output) -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    guard takeOne() else { return false }
    let more = sendValue(self, value)
    if more > .none { demand.add(more) }
    return true
  }

  @usableFromInline func finish(_ completion: Subscribers.Completion<Failure>) {
    if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return drop() }
    if holdsSubscriber { sendSignal(self, .completion(completion)) }
  }

  @usableFromInline func drop() { if holdsSubscriber { sendSignal(self, .drop) } }

  @inlinable func takeOne() -> Bool {
    var old = demand.load(ordering: .relaxed)
    while old != .max {
      if old == 0 { return false }
      let result = demand.weakCompareExchange(expected: old, desired: old - 1, ordering: .relaxed)
      if result.exchanged { return true }
      old = result.original
    }
    return true
  }
}

/// A doubly linked list that retains a subject's subscriptions, in order. Iteration needs no reference counting, and removal
/// takes constant time. Invariant: only the thread in the subject's mailbox uses the list, so iterations see no changes.
@usableFromInline struct SubjectSubscriptionList<Output: Sendable, Failure: Error>: ~Copyable {
  @usableFromInline typealias Member = SubjectSubscription<Output, Failure>

  @usableFromInline var first: Unmanaged<Member>?
  @usableFromInline var last: Unmanaged<Member>?

  @inlinable init() {}

  @inlinable deinit {
    var rest = first
    while let member = rest {
      rest = member._withUnsafeGuaranteedRef { $0.next }
      member.release()
    }
  }

  @inlinable func forEach(_ body: (Member) -> Void) {
    var rest = first
    while let member = rest {
      rest = member._withUnsafeGuaranteedRef {
        body($0)
        return $0.next
      }
    }
  }

  @usableFromInline mutating func append(_ member: Member) {
    let link = Unmanaged.passRetained(member)
    member.isListed = true
    member.previous = last
    if let last { last._withUnsafeGuaranteedRef { $0.next = link } } else { first = link }
    last = link
  }

  @usableFromInline mutating func remove(_ member: Member) {
    guard member.isListed else { return }
    member.isListed = false
    if let previous = member.previous {
      previous._withUnsafeGuaranteedRef { $0.next = member.next }
    } else {
      first = member.next
    }
    if let next = member.next {
      next._withUnsafeGuaranteedRef { $0.previous = member.previous }
    } else {
      last = member.previous
    }
    Unmanaged.passUnretained(member).release()
  }

  @usableFromInline mutating func popFirst() -> Member? {
    guard let member = first?.takeUnretainedValue() else { return nil }
    remove(member)
    return member
  }
}

@usableFromInline enum SubjectEvent<Output: Sendable, Failure: Error> {
  case attach(SubjectSubscription<Output, Failure>)
  case detach(SubjectSubscription<Output, Failure>)
  /// A subscriber has requested values from a `CurrentValueSubject`.
  case demand(SubjectSubscription<Output, Failure>)
  case value(Output)
  case completion(Subscribers.Completion<Failure>)
}

/// A subject that handles its events one at a time, in a mailbox.
@usableFromInline
protocol MailboxSubject: Subject {
  var mailbox: Mailbox<SubjectEvent<Output, Failure>> { get }
  var members: SubjectSubscriptionList<Output, Failure> { get set }
  var completion: Subscribers.Completion<Failure>? { get set }

  /// Reacts to a request of the subscription. May be called from any thread.
  func asked(by member: SubjectSubscription<Output, Failure>)

  // Only the thread that handles the mailbox's events calls the following methods.

  func deliver(_ value: Output)
  /// Sends the current value to a subscription that has not received it yet.
  func catchUp(_ member: SubjectSubscription<Output, Failure>)
}

extension MailboxSubject {
  @inlinable func asked(by member: SubjectSubscription<Output, Failure>) {}
  @inlinable func catchUp(_ member: SubjectSubscription<Output, Failure>) {}

  public func send(completion: Subscribers.Completion<Failure>) {
    mailbox.send(.completion(completion), handle)
  }

  @inlinable public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let member = SubjectSubscription(subscriber) { member, change in
      switch change {
      case .demand: self.asked(by: member)
      case .cancellation: self.mailbox.send(.detach(member), self.handle)
      }
    }
    mailbox.send(.attach(member), handle)
  }

  @inlinable func handle(_ event: SubjectEvent<Output, Failure>) {
    switch event {
    case .attach(let member):
      member.start()
      catchUp(member)
      if let completion { member.finish(completion) } else { members.append(member) }
    case .detach(let member):
      members.remove(member)
      member.drop()
    case .demand(let member): if member.isListed, member.isBehind { catchUp(member) }
    case .value(let value): if completion == nil { deliver(value) }
    case .completion(let end):
      if completion != nil { return }
      completion = end
      while let member = members.popFirst() { member.finish(end) }
    }
  }
}
