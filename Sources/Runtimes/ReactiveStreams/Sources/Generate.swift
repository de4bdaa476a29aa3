extension Publishers {
  /// Publishes what a source gives, asked once for each value that is asked for, until it gives nil.
  ///
  /// Each subscriber's source is opened, and asked, when a value is asked for, on the thread of that `request`.
  public struct Generate<Source: Sendable, Output: Sendable>: Publisher {
    public typealias Failure = any Error

    /// Called at most once per subscriber, with its first demand.
    public let open: @Sendable () throws -> Source
    /// The next value, or nil for the end; called once for each value that is asked for.
    public let next: @Sendable (Source) throws -> Output?

    /// What one of the two throws is the failure.
    @inlinable
    public init(
      from open: @escaping @Sendable () throws -> Source,
      next: @escaping @Sendable (Source) throws -> Output?
    ) {
      self.open = open
      self.next = next
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      var source: Source?
      GenerateSubscription(subscriber) { [open, next] in
        let opened = try source ?? open()
        source = opened
        return try next(opened)
      }.begin()
    }
  }
}

/// `@unchecked Sendable`: the variables belong to the gate's emitter.
@usableFromInline
final class GenerateSubscription<Downstream: Subscriber>: QuiescentSubscription, @unchecked Sendable
where Downstream.Failure == any Error {
  @usableFromInline typealias Next = () throws -> Downstream.Input?

  @usableFromInline let gate = DemandGate()
  @usableFromInline let quiescence = Quiescence()
  /// `emit`, compiled for the types known where the stream was made: `request` may be reached without them.
  @usableFromInline let specializedEmit: (GenerateSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var next: Next?
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?

  @inlinable
  init(_ downstream: Downstream, next: @escaping Next) {
    self.next = next
    self.downstream = downstream
    specializedEmit = { $0.emit() }
  }

  @inlinable
  func begin() {
    downstream?.receive(subscription: self)
    emit()
  }

  @inlinable func request(_ demand: Subscribers.Demand) { if gate.request(demand) { specializedEmit(self) } }

  @inlinable var waitsForDemand: Bool { true }

  @inlinable func cancel() { if gate.cancel() { drop() } }

  /// Sends what was asked for. The caller is the emitter.
  @inlinable
  func emit() {
    while true {
      switch gate.take() {
      case .idle: return
      case .closed: return drop()
      case .demand(let count):
        guard let end = send(Subscribers.Demand(rawCount: count)) else { continue }
        var subscriber = downstream.take()
        if gate.finish() { subscriber?.receive(completion: end) }
        return drop()
      }
    }
  }

  /// Sends as many values, or until somebody cancels. Returns the end once it has come.
  @inlinable
  func send(_ asked: Subscribers.Demand) -> Subscribers.Completion<any Error>? {
    var demand = asked
    while demand > .none, !gate.isClosed {
      do {
        guard let value = try next?() else { return .finished }
        demand -= .max(1)
        if let more = downstream?.receive(value) { demand += more }
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  @inlinable
  func drop() {
    downstream = nil
    next = nil
    quiescence.declareOver()
  }
}
