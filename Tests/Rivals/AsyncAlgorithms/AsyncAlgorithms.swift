// Signatures of swift-async-algorithms 1.1.4 that the contender and the operations use; nothing of it runs.

public final class AsyncChannel<Element: Sendable>: AsyncSequence, Sendable {
  public struct Iterator: AsyncIteratorProtocol {
    public mutating func next() async -> Element? { fatalError() }
  }

  public init(element elementType: Element.Type = Element.self) {}
  public func send(_ element: Element) async {}
  public func finish() {}
  public func makeAsyncIterator() -> Iterator { fatalError() }
}

public struct AsyncSyncSequence<Base: Sequence>: AsyncSequence {
  public struct Iterator: AsyncIteratorProtocol {
    public mutating func next() async -> Base.Element? { fatalError() }
  }

  public func makeAsyncIterator() -> Iterator { fatalError() }
}

extension AsyncSyncSequence: Sendable where Base: Sendable {}

extension Sequence { public var async: AsyncSyncSequence<Self> { fatalError() } }

public struct AsyncZip3Sequence<A: AsyncSequence, B: AsyncSequence, C: AsyncSequence>: AsyncSequence {
  public struct Iterator: AsyncIteratorProtocol {
    public mutating func next() async rethrows -> (A.Element, B.Element, C.Element)? { fatalError() }
  }

  public func makeAsyncIterator() -> Iterator { fatalError() }
}

public func zip<A: AsyncSequence, B: AsyncSequence, C: AsyncSequence>(
  _ a: A, _ b: B, _ c: C
) -> AsyncZip3Sequence<A, B, C> { fatalError() }

extension RangeReplaceableCollection {
  public init<Source: AsyncSequence>(_ source: Source) async rethrows where Source.Element == Element {
    fatalError()
  }
}

public struct MultiProducerSingleConsumerAsyncChannel<Element, Failure: Error>: ~Copyable {
  public struct Made: ~Copyable {
    public var source: Source
    public mutating func takeChannel() -> MultiProducerSingleConsumerAsyncChannel { fatalError() }
  }

  public struct Source: ~Copyable {
    public struct BackpressureStrategy: Sendable {
      public static func watermark(low: Int, high: Int) -> Self { fatalError() }
    }
    public enum SendResult: ~Copyable {
      case produceMore
    }

    public mutating func send(_ element: consuming sending Element) throws -> SendResult { fatalError() }
    public mutating func send(_ element: consuming sending Element) async throws {}
    public consuming func finish() {}
  }

  public static func makeChannel(
    of elementType: Element.Type = Element.self, throwing failureType: Failure.Type = Never.self,
    backpressureStrategy: Source.BackpressureStrategy
  ) -> sending Made { fatalError() }

  public mutating func next() async throws(Failure) -> Element? { fatalError() }
}
