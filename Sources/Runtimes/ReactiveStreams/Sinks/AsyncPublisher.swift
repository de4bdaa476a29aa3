/// A publisher's values as an asynchronous sequence: each iterator subscribes for itself.
///
/// An iterator is for one task at a time.
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
  public typealias Element = P.Output

  let publisher: P
  let capacity: Int

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let pull: Pull<P.Output, P.Failure>
    private let cancellable: AnyCancellable

    init(_ publisher: P, capacity: Int) {
      let pull = Pull<P.Output, P.Failure>(capacity: capacity)
      publisher.subscribe(pull)
      self.pull = pull
      cancellable = AnyCancellable { pull.cancel() }
    }

    /// The next value; `nil` at the end and when the task is cancelled, which cancels the stream.
    public mutating func next() async throws -> P.Output? {
      try await withTaskCancellationHandler { [pull] in
        try await pull.next()
      } onCancel: { [pull] in
        pull.cancel()
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(publisher, capacity: capacity) }
}

extension Publisher {
  /// The values as an asynchronous sequence that throws the failure; each is asked for when it is awaited.
  public var values: AsyncPublisher<Self> { AsyncPublisher(publisher: self, capacity: 0) }

  /// The values as an asynchronous sequence that throws the failure; up to `capacity` are asked for ahead of use,
  /// and wait in order. More are asked for when half of them have been used. Traps when it is negative.
  public func values(bufferingAtMost capacity: Int) -> AsyncPublisher<Self> {
    precondition(capacity >= 0, "a buffer can not have a negative capacity")
    return AsyncPublisher(publisher: self, capacity: capacity)
  }
}
