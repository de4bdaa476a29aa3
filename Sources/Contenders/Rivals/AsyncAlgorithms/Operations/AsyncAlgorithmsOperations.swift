#if AsyncAlgorithms
  import AsyncAlgorithms
  import RuntimeOperations

  /// The zip and the buffered channel of swift-async-algorithms. `AsyncChannel` has no buffer, so it takes several times as long.
  public let asyncAlgorithmsOperations = RuntimeContender(
    name: "async-algorithms", summary: "swift-async-algorithms: asynchronous sequences and channels",
    implementations: [
      // One task fills and empties the channel alternately, so it can ignore the channel's requests to wait.
      .channelOneThread: { count in
        try performAsync {
          var made = BufferedChannel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 100))
          var channel = made.takeChannel()
          var sum = 0
          for first in stride(from: 0, to: count, by: 100) {
            let elements = first..<min(first + 100, count)
            for element in elements { try made.source.sendWithoutWaiting(element) }
            for _ in elements { sum += await channel.next() ?? 0 }
          }
          return sum
        }
      },
      // When the buffer is full, the sender waits until half of it is free.
      .channelTwoThreads: { count in
        try performAsync {
          var made = BufferedChannel.makeChannel(backpressureStrategy: .watermark(low: 50, high: 100))
          var channel = made.takeChannel()
          var source: BufferedChannel.Source? = made.source
          let producer = Task {
            for element in 0..<count { try await source?.send(element) }
            source.take()?.finish()
          }
          var sum = 0
          while let element = await channel.next() { sum += element }
          try await producer.value
          return sum
        }
      },
      .zip3: { count in
        performAsync {
          let numbers = (0..<count).async
          var sum = 0
          for await (first, second, third) in zip(numbers, numbers, numbers) { sum += first + second + third }
          return sum
        }
      },
    ])

  private typealias BufferedChannel = MultiProducerSingleConsumerAsyncChannel<Int, Never>

  extension BufferedChannel.Source {
    /// Sends an element without waiting. In this synchronous function, `send` means the overload that does not wait.
    fileprivate mutating func sendWithoutWaiting(_ element: Int) throws { _ = try send(element) }
  }
#endif
