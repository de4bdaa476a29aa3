#if AsyncAlgorithms
  import AsyncAlgorithms
  import RuntimeOperations

  /// The channels and the zip of swift-async-algorithms, in tasks of the global pool.
  public let asyncAlgorithmsOperations = RuntimeContender(
    name: "async-algorithms", summary: "swift-async-algorithms: asynchronous sequences and channels",
    implementations: [
      .channelOneThread: Channels.oneTask, .channelTwoThreads: Channels.twoTasks, .zip3: Streams.zip3,
    ])

  private typealias BufferedChannel = MultiProducerSingleConsumerAsyncChannel<Int, Never>

  /// The operations on channels, with the one that has a buffer. `AsyncChannel` has none: each sender waits until its
  /// element is taken, which costs several times as much.
  enum Channels {
    /// Filled and emptied alternately, in one task.
    static func oneTask(_ count: Int) throws -> Int {
      try performAsync {
        var made = BufferedChannel.makeChannel(backpressureStrategy: .watermark(low: 1, high: 100))
        var channel = made.takeChannel()
        var sum = 0
        for first in stride(from: 0, to: count, by: 100) {
          let elements = first..<min(first + 100, count)
          try send(elements, to: &made.source)
          for _ in elements { sum += await channel.next() ?? 0 }
        }
        return sum
      }
    }

    /// A task sends and a task receives; the sender waits while the buffer is full, until half of it is free.
    static func twoTasks(_ count: Int) throws -> Int {
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
    }

    /// Does not wait where the channel asks for it: it is the same task that makes room.
    private static func send(_ elements: Range<Int>, to source: inout BufferedChannel.Source) throws {
      for element in elements { _ = try source.send(element) }
    }
  }

  /// The operations on streams that asynchronous sequences have.
  enum Streams {
    static func zip3(_ count: Int) -> Int {
      performAsync {
        let numbers = (0..<count).async
        var sum = 0
        for await (first, second, third) in zip(numbers, numbers, numbers) { sum += first + second + third }
        return sum
      }
    }
  }
#endif
