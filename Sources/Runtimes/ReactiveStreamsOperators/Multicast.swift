import ReactiveStreams
import Synchronization

/// A publisher that sends nothing until it is told to connect, so that several subscribers can come before.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Connects the subscribers with what is upstream, until the result is cancelled or dropped.
  func connect() -> any Cancellable
}

extension ConnectablePublisher {
  /// Connects with the first subscriber; the last that leaves cancels.
  public func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(upstream: self) }
}

extension Publisher {
  /// Sends this publisher's values through one subject to all subscribers, from when it is told to connect.
  ///
  /// - Parameter createSubject: called once, with the first subscriber or connection.
  public func multicast<S: Subject & Subscriber>(
    _ createSubject: @escaping @Sendable () -> S
  ) -> Publishers.Multicast<Self, S> {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Sends this publisher's values through a subject to all subscribers, from when it is told to connect.
  public func multicast<S: Subject & Subscriber>(subject: S) -> Publishers.Multicast<Self, S> {
    multicast { subject }
  }

  /// Sends this publisher's values to all subscribers, from when it is told to connect.
  public func makeConnectable() -> Publishers.Multicast<Self, PassthroughSubject<Output, Failure>> {
    multicast { PassthroughSubject() }
  }
}

extension Publishers {
  /// Sends the upstream's values through a subject.
  ///
  /// The subject is subscribed to by the subscribers, and subscribes to the upstream with each connection, which it asks
  /// for everything. How it treats those that have not asked is its affair.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject & Subscriber>: ConnectablePublisher,
    Operator
  where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    /// Called once, with the first subscriber or connection.
    public let createSubject: @Sendable () -> SubjectType
    private let made = Mutex<SubjectType?>(nil)

    /// `multicast(_:)` makes it.
    public init(upstream: Upstream, createSubject: @escaping @Sendable () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    private var subject: SubjectType {
      if let subject = made.withLock({ $0 }) { return subject }
      let new = createSubject()
      return made.withLock { made in
        if made == nil { made = new }
        return made ?? new
      }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      subject.receive(subscriber: subscriber)
    }

    public func connect() -> any Cancellable { upstream.subscribe(subject) }
  }

  /// Connects the upstream with the first subscriber; the last that leaves cancels.
  public final class Autoconnect<Upstream: ConnectablePublisher>: Operator {
    public let upstream: Upstream
    private let members = Members()

    /// `autoconnect()` makes it.
    public init(upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let isFirst = members.enter()
      // Left once: by the subscriber's cancellation or its end.
      let place = AnyCancellable { [members] in members.leave() }
      upstream.handleEvents(receiveCompletion: { _ in place.cancel() }, receiveCancel: place.cancel)
        .receive(subscriber: subscriber)
      if isFirst { members.keep(upstream.connect()) }
    }
  }
}

extension Publishers.Autoconnect {
  /// Counts the subscribers. A connection that comes when all of them have left is cancelled.
  fileprivate final class Members: Sendable {
    private struct State {
      var count = 0
      var connections: [any Cancellable] = []
    }

    private let state = Mutex(State())

    func enter() -> Bool {
      state.withLock {
        $0.count += 1
        return $0.count == 1
      }
    }

    func leave() {
      let unused = state.withLock { state -> [any Cancellable] in
        state.count -= 1
        if state.count > 0 { return [] }
        defer { state.connections = [] }
        return state.connections
      }
      for connection in unused { connection.cancel() }
    }

    func keep(_ connection: any Cancellable) {
      let isUsed = state.withLock {
        if $0.count > 0 { $0.connections.append(connection) }
        return $0.count > 0
      }
      if !isUsed { connection.cancel() }
    }
  }
}
