// A channel of tasks: each call waits in a coroutine, which is cancelled with the task.
import Coroutines

private let pool = CoroutinePool(workers: 2)

private func waiting<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async -> Value? {
  let future = Coroutine.start(on: pool, body)
  return await withTaskCancellationHandler {
    try? await future.value
  } onCancel: {
    future.cancel()
  }
}

public final class AsyncChannel<Element: Sendable>: AsyncSequence, Sendable {
  fileprivate let channel = CoChannel<Element>(capacity: 0)

  public init() {}

  public func send(_ element: Element) async {
    _ = await waiting { [channel] in try channel.awaitSend(element) }
  }
  public func finish() { channel.close() }
  public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let channel: CoChannel<Element>
    public mutating func next() async -> Element? {
      await waiting { [channel] in try channel.awaitReceive() }
    }
  }
}

/// As the other one: a channel of ours has no error to end with.
public typealias AsyncThrowingChannel<Element: Sendable, Failure> = AsyncChannel<Element>
