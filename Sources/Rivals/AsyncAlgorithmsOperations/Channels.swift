#if AsyncAlgorithms
  import AsyncAlgorithms

  private typealias BufferedChannel = MultiProducerSingleConsumerAsyncChannel<Int, Never>

  /// The operations on channels.
  enum Channels {
    /// `AsyncChannel`, which has no buffer: a sender waits until its element is taken.
    static func twoTasks(_ count: Int) -> Int {
      blocking {
        let channel = AsyncChannel<Int>()
        let producer = Task {
          for element in 0..<count { await channel.send(element) }
          channel.finish()
        }
        var sum = 0
        for await element in channel { sum += element }
        await producer.value
        return sum
      }
    }

    /// `MultiProducerSingleConsumerAsyncChannel`, the one with a buffer, filled and emptied by turns in one task.
    static func oneTask(_ count: Int) throws -> Int {
      try blocking {
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

    /// Does not wait where the channel asks for it: it is the same task that makes room.
    private static func send(_ elements: Range<Int>, to source: inout BufferedChannel.Source) throws {
      for element in elements { _ = try source.send(element) }
    }
  }
#endif
