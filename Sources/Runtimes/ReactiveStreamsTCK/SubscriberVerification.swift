import ReactiveStreams
import Synchronization

/// The specification's rules for subscribers, run against one kind of subscriber: a sink, or whatever stands
/// between a publisher and its user.
///
///     let kit = SubscriberVerification<Int, Never>(makeValue: { 1 }) { publisher, user in
///       let sink = publisher.sink { _ in user.receive() } receiveCompletion: { _ in user.end() }
///       return .init(cancel: sink.cancel)
///     }
///     #expect(kit.violations() == [])
public struct SubscriberVerification<Input: Sendable, Failure: Error>: Verification {
  /// Where what a subscriber has got goes on to; a check reads it.
  public final class User: Sendable {
    private let counts = Mutex((values: 0, ends: 0))

    /// Call it with each value that the subscriber hands on.
    public func receive() { counts.withLock { $0.values += 1 } }
    /// Call it when the subscriber says that the stream has ended, or failed.
    public func end() { counts.withLock { $0.ends += 1 } }

    var values: Int { counts.withLock { $0.values } }
    var ends: Int { counts.withLock { $0.ends } }
  }

  /// How to handle a subscriber that was attached.
  public struct Handle: Sendable {
    /// Makes the subscriber ask, if it asks only when it is used.
    public let pull: @Sendable () -> Void
    /// Makes the subscriber cancel.
    public let cancel: @Sendable () -> Void

    /// `pull` is for subscribers that ask only when they are used, such as an asynchronous sequence.
    public init(pull: @escaping @Sendable () -> Void = {}, cancel: @escaping @Sendable () -> Void) {
      self.pull = pull
      self.cancel = cancel
    }
  }

  /// Attaches a new subscriber to a publisher.
  public let attach: @Sendable (AnyPublisher<Input, Failure>, User) -> Handle
  /// Makes a value to send to it.
  public let makeValue: @Sendable () -> Input
  /// Makes a failure; `nil` where there can be none.
  public let makeFailure: (@Sendable () -> Failure)?
  /// How many values the subscriber takes before it cancels.
  public let largestCount: Int
  /// Whether cancelling ends the user too, as it does for those that wait for a result.
  public let endsOnCancel: Bool
  /// How long a check waits for something that has to happen on another thread.
  public let patience: Duration

  /// What it is given are the properties of the same names.
  public init(
    largestCount: Int = .max,
    endsOnCancel: Bool = false,
    patience: Duration = .seconds(10),
    makeFailure: (@Sendable () -> Failure)? = nil,
    makeValue: @escaping @Sendable () -> Input,
    attach: @escaping @Sendable (AnyPublisher<Input, Failure>, User) -> Handle
  ) {
    self.largestCount = largestCount
    self.endsOnCancel = endsOnCancel
    self.patience = patience
    self.makeFailure = makeFailure
    self.makeValue = makeValue
    self.attach = attach
  }

  // MARK: Helpers for the rules

  typealias Upstream = WatchfulPublisher<Input, Failure>

  /// A subscriber attached to a publisher of its own.
  struct Session: Sendable {
    let upstream: Upstream
    let user: User
    let handle: Handle
  }

  func start(_ upstream: Upstream = Upstream()) -> Session {
    let user = User()
    let handle = attach(upstream.eraseToAnyPublisher(), user)
    return Session(upstream: upstream, user: user, handle: handle)
  }

  /// Waits for a condition that another thread brings about.
  func expect(_ rule: String, _ finding: @autoclosure () -> String, _ condition: () -> Bool) -> [Violation] {
    expect(wait(upTo: patience, until: condition), rule, finding())
  }

  /// Sends a value as soon as it is asked for.
  func deliver(_ rule: String, to session: Session) -> [Violation] {
    session.handle.pull()
    let broken = expect(rule, "the subscriber does not ask for a value") { session.upstream.mayBeSent }
    if broken.isEmpty { session.upstream.send(makeValue()) }
    return broken
  }
}
