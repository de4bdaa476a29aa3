/// Keeps values, up to a number, for each subscriber until it asks for them, and all for the first one until it comes.
///
/// Later subscribers start with the next value. `suspendUpstream` is not in a subject's power and drops the newest; with
/// `fail`, a subscriber whose buffer overflows fails alone, and so does the subject if nobody has come yet. Sends from
/// several threads are serialised, and every subscriber sees them in the same order.
///
/// `@unchecked Sendable`: the variables belong to the mailbox's handler.
public final class BufferedSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  @usableFromInline let mailbox = Mailbox<SubjectEvent<Output, Failure>>()
  @usableFromInline let upstreams = SubjectUpstreams()
  @usableFromInline @exclusivity(unchecked) var members = SubjectSubscriptionList<Output, Failure>()
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?
  private let size: Int
  private let whenFull: Publishers.BufferingStrategy<Failure>
  /// What was sent before the first subscriber came; `nil` from then on.
  private var early: Queue<Output>? = Queue()

  /// Traps when `size` is not positive.
  public init(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    precondition(size > 0, "a buffer holds at least one value")
    self.size = size
    self.whenFull = whenFull
  }

  public func send(_ value: Output) { mailbox.send(.value(value), handle) }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let stage = OperatorStage(subscriber, Buffering<S>(size: size, whenFull: whenFull))
    attach(OperatorInput(stage, initialDemand: .unlimited))
  }

  @usableFromInline
  func deliver(_ value: Output) {
    members.forEach { _ = $0.offer(value) }
    if early != nil, let error = whenFull.keep(value, in: &early!, size: size) {
      early?.removeAll()
      completion = .failure(error)
    }
  }

  @usableFromInline
  func catchUp(_ member: SubjectSubscription<Output, Failure>) {
    while let value = early?.popFirst() { _ = member.offer(value) }
    early = nil
  }
}

extension BufferedSubject: MailboxSubject {}
