extension Publishers {
  /// What a full buffer does with the next value.
  public enum BufferingStrategy<Failure: Error>: Sendable {
    /// Drops the value that has waited longest.
    case dropOldest
    /// Drops the value that has come last.
    case dropNewest
    /// Cancels the upstream, drops what waits and fails with this error.
    case fail(@Sendable () -> Failure)
    /// Asks the upstream for no more than there is room for, so that it waits.
    ///
    /// A source that can not wait, such as a `PassthroughSubject`, drops what nobody has asked for.
    case suspendUpstream

    /// Puts a value into a queue of at most `size`, or does what is due when that is full; returns a failure that is.
    @inlinable
    func keep<Value>(_ value: Value, in queue: inout Queue<Value>, size: Int) -> Failure? {
      if queue.count == size {
        switch self {
        case .dropOldest: _ = queue.popFirst()
        case .dropNewest, .suspendUpstream: return nil
        case .fail(let error): return error()
        }
      }
      queue.append(value)
      return nil
    }
  }

  /// Keeps values for a downstream that is slower than the upstream, up to a number.
  public struct Buffer<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// How many values wait at most; 1 or more.
    public let size: Int
    /// What becomes of a value for which there is no room.
    public let whenFull: BufferingStrategy<Failure>

    /// Traps when `size` is not positive.
    @inlinable
    public init(upstream: Upstream, size: Int, whenFull: BufferingStrategy<Failure>) {
      precondition(size > 0, "a buffer holds at least one value")
      self.upstream = upstream
      self.size = size
      self.whenFull = whenFull
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(subscriber, Buffering<S>(size: size, whenFull: whenFull))
      let demand: Subscribers.Demand = if case .suspendUpstream = whenFull { .max(size) } else { .unlimited }
      upstream.receive(subscriber: OperatorInput(stage, initialDemand: demand))
    }
  }
}

extension Publisher {
  /// Asks this publisher ahead of the downstream and keeps up to `size` values until they are asked for.
  ///
  /// A successful end comes after the values that wait; a failure comes at once and drops them.
  @inlinable
  public func buffer(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, whenFull: whenFull)
  }
}

@usableFromInline
struct Buffering<Downstream: Subscriber>: OperatorLogic {
  @inlinable static var waitsForDemand: Bool { true }

  @usableFromInline let size: Int
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Downstream.Failure>
  @usableFromInline var queue = Queue<Downstream.Input>()
  @usableFromInline var hasFinished = false
  /// Values sent that the upstream has not been asked to replace.
  @usableFromInline var unreplaced = 0

  @inlinable
  init(size: Int, whenFull: Publishers.BufferingStrategy<Downstream.Failure>) {
    self.size = size
    self.whenFull = whenFull
  }

  @inlinable mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    if let error = whenFull.keep(input, in: &queue, size: size) { return stage.end(.failure(error)) }
    flush(stage)
  }

  @inlinable mutating func receive(last input: Downstream.Input, _ stage: OperatorStage<Self>) {
    hasFinished = true
    receive(input, stage)
  }

  @inlinable mutating func receive(
    completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>
  ) {
    if completion.error != nil { return stage.end(completion) }
    hasFinished = true
    flush(stage)
  }

  @inlinable mutating func demandGrew(_ stage: OperatorStage<Self>) { flush(stage) }

  @inlinable mutating func flush(_ stage: OperatorStage<Self>) {
    while stage.canSend, let value = queue.popFirst() {
      if hasFinished, queue.isEmpty { return stage.end(last: value) }
      stage.send(value)
      replace(stage)
    }
    if hasFinished, queue.isEmpty { stage.end(.finished) }
  }

  /// Asks a suspended upstream for more when half of the buffer is free.
  @inlinable mutating func replace(_ stage: OperatorStage<Self>) {
    guard case .suspendUpstream = whenFull, !hasFinished else { return }
    unreplaced += 1
    if unreplaced * 2 >= size {
      stage.upstream?.request(.max(unreplaced))
      unreplaced = 0
    }
  }

  @inlinable mutating func stop() { queue.removeAll() }
}
