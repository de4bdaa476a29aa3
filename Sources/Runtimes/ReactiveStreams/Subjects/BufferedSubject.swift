/// Keeps values, up to a number, for each subscriber until it asks for them, and all for the first one until it comes.
///
/// Later subscribers start with the next value. `suspendUpstream` is not in a subject's power and drops the newest; with
/// `fail`, a subscriber whose buffer overflows fails alone, and so does the subject if nobody has come yet. Sends from
/// several threads are serialised, and every subscriber sees them in the same order.
///
/// `@unchecked Sendable`: the variables belong to the mailbox's handler.
public final class BufferedSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  private enum Event {
    case attach(Member)
    case detach(Member)
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  /// A subscriber's buffer: a stage whose type is hidden, and what ties it to the subject.
  private final class Member: Subscription {
    let subject: BufferedSubject
    let begin: @Sendable (Member) -> Void
    let send: @Sendable (Output) -> Void
    let complete: @Sendable (Subscribers.Completion<Failure>) -> Void

    init<S: Subscriber>(_ subscriber: S, _ subject: BufferedSubject)
    where S.Input == Output, S.Failure == Failure {
      self.subject = subject
      let stage = OperatorStage(subscriber, Buffering<S>(size: subject.size, whenFull: subject.whenFull))
      begin = { stage.begin($0) }
      send = { stage.send(.value($0)) }
      complete = { stage.send(.completion($0)) }
    }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() { subject.mailbox.send(.detach(self), subject.handle) }
  }

  let upstreams = SubjectUpstreams()
  private let size: Int
  private let whenFull: Publishers.BufferingStrategy<Failure>
  private let mailbox = Mailbox<Event>()
  private var members: [Member] = []
  /// What was sent before the first subscriber came; `nil` from then on.
  private var early: Queue<Output>? = Queue()
  private var completion: Subscribers.Completion<Failure>?

  /// Traps when `size` is not positive.
  public init(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    precondition(size > 0, "a buffer holds at least one value")
    self.size = size
    self.whenFull = whenFull
  }

  public func send(_ value: Output) { mailbox.send(.value(value), handle) }

  public func send(completion: Subscribers.Completion<Failure>) {
    mailbox.send(.completion(completion), handle)
    upstreams.end()
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    mailbox.send(.attach(Member(subscriber, self)), handle)
  }

  private func handle(_ event: Event) {
    switch event {
    case .attach(let member):
      member.begin(member)
      while let value = early?.popFirst() { member.send(value) }
      early = nil
      if let completion { member.complete(completion) } else { members.append(member) }
    case .detach(let member): members.removeAll { $0 === member }
    case .value(let value):
      if completion != nil { return }
      for member in members { member.send(value) }
      if early != nil, let error = whenFull.keep(value, in: &early!, size: size) {
        early?.removeAll()
        completion = .failure(error)
      }
    case .completion(let end):
      if completion != nil { return }
      completion = end
      let ended = members
      members = []
      for member in ended { member.complete(end) }
    }
  }
}

extension BufferedSubject: SubscribedSubject {}
