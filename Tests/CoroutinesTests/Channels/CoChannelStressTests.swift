import Coroutines
import Dispatch
import TestSupport
import Testing

/// With real threads: every element that was sent is received once, and those of one sender in their order.
@Suite(.ownThread) struct CoChannelStressTests {
  private static let capacities: [Int] = [0, 1, 16, .max]

  @Test(arguments: capacities, [1, 3])
  func `no element is lost or doubled or overtaken`(capacity: Int, receivers: Int) async throws {
    let channel = CoChannel<Int>(capacity: capacity)
    let (senders, count) = (3, 500)
    let pool = CoroutinePool(workers: 3)
    let sending = (0..<senders).map { sender in
      Coroutine.start(on: sender == 0 ? DispatchQueue.global() : pool) {
        for number in 0..<count { try channel.awaitSend(sender * count + number) }
      }
    }
    let receiving = (0..<receivers).map { _ in
      Coroutine.start(on: pool) { Array(channel) }
    }
    for future in sending { try await future.value }
    channel.close()
    var all: [Int] = []
    for future in receiving {
      let received = try await future.value
      for sender in 0..<senders {
        let own = received.filter { $0 / count == sender }
        #expect(own == own.sorted())
      }
      all += received
    }
    #expect(all.sorted() == Array(0..<senders * count))
    pool.shutDown()
  }

  /// Receivers are cancelled while elements are on their way to them.
  @Test(arguments: [0, 2])
  func `cancellation that races with a hand over loses nothing`(capacity: Int) async throws {
    let channel = CoChannel<Int>(capacity: capacity)
    let count = 2_000
    let log = Log<Int>()
    let sending = Coroutine.start(on: DispatchQueue.global()) {
      for number in 0..<count { try channel.awaitSend(number) }
      channel.close()
    }
    while !channel.isClosed {
      let receiver = Coroutine.start(on: DispatchQueue.global()) {
        for element in channel { log.append(element) }
      }
      await Task.yield()
      receiver.cancel()
      _ = try? await receiver.value
    }
    try await sending.value
    while let element = channel.poll() { log.append(element) }
    #expect(log.entries == Array(0..<count))
  }
}
