extension Publishers {
  /// The behaviour of a full buffer.
  public enum BufferingStrategy: Sendable {
    /// A full buffer requests no values, so that the upstream waits.
    ///
    /// A source that cannot wait, such as a `PassthroughSubject`, drops values without demand.
    case suspendUpstream
  }

  /// Keeps a limited number of values for a downstream that is slower than the upstream.
  public struct Buffer<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// The largest number of waiting values, at least 1.
    public let size: Int

    /// Creates the publisher that ``Publisher/buffer(size:whenFull:)`` returns. Traps if `size` is not positive.
    @inlinable public init(upstream: Upstream, size: Int) {
      precondition(size > 0, "buffer(size: \(size)): the size must be at least 1")
      self.upstream = upstream
      self.size = size
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(subscriber, Buffering<S>(size: size))
      upstream.receive(subscriber: OperatorInput(stage, initialDemand: .max(size)))
    }
  }
}

extension Publisher {
  /// Requests values ahead of the downstream and keeps up to `size` values until the downstream requests them.
  ///
  /// A successful end is sent after the waiting values. A failure is sent immediately, and the waiting values are dropped.
  @inlinable
  public func buffer(size: Int, whenFull: Publishers.BufferingStrategy) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size)
  }
}

@usableFromInline struct Buffering<Downstream: Subscriber>: OperatorLogic {
  @inlinable static var waitsForDemand: Bool { true }

  @usableFromInline let size: Int
  @usableFromInline var queue = Queue<Downstream.Input>()
  @usableFromInline var hasFinished = false
  /// The number of values sent since the last request to the upstream.
  @usableFromInline var unreplaced = 0

  @inlinable init(size: Int) { self.size = size }

  @inlinable mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    if queue.count < size { queue.append(input) }
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

  /// Requests more values from the upstream if half of the buffer is free.
  @inlinable mutating func replace(_ stage: OperatorStage<Self>) {
    if hasFinished { return }
    unreplaced += 1
    if unreplaced * 2 >= size {
      stage.upstream?.request(.max(unreplaced))
      unreplaced = 0
    }
  }

  @inlinable mutating func stop() { queue.removeAll() }
}

/// A first-in, first-out queue with constant time per element.
@usableFromInline struct Queue<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable var count: Int { elements.count - head }
  @inlinable var isEmpty: Bool { head == elements.count }

  @inlinable mutating func append(_ element: Element) { elements.append(element) }

  @inlinable mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  @inlinable mutating func removeAll() {
    elements = []
    head = 0
  }
}

extension Queue: Sendable where Element: Sendable {}
