import Coroutines
import Dispatch
import TestSupport
import Testing

/// With real threads: every element that was sent is received once, and those of one sender in their order.
@Suite(.ownThread) struct CoChannelStressTests {
  private static let bufferings: [CoChannelBuffering] = [.rendezvous, .bounded(1), .bounded(16), .unlimited]

  @Test(arguments: bufferings, [1, 3])
  func noElementIsLostOrDoubledOrOvertaken(buffering: CoChannelBuffering, receivers: Int) async throws {
    let channel = CoChannel<Int>(buffering)
    let (senders, count) = (3, 500)
    let pool = CoroutinePool(workers: 3)
    let sending = (0..<senders).map { sender in
      Coroutine.start(on: sender == 0 ? DispatchQueue.global() : pool) {
        for number in 0..<count { try channel.send(sender * count + number) }
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

  /// Two selects name the channels in opposite orders, both ways at once: they lock each other out if the order counts.
  @Test func selectsInOppositeOrdersNeitherLockNorLose() async throws {
    let (a, b) = (CoChannel<Int>(), CoChannel<Int>())
    let (workers, count) = (3, 400)
    let sending = (0..<workers).map { worker in
      Coroutine.start(on: DispatchQueue.global()) {
        for number in worker * count..<(worker + 1) * count {
          if worker.isMultiple(of: 2) {
            try Coroutine.select(.send(number, to: a), .send(number, to: b))
          } else {
            try Coroutine.select(.send(number, to: b), .send(number, to: a))
          }
        }
      }
    }
    let receiving = (0..<workers).map { worker in
      Coroutine.start(on: DispatchQueue.global()) {
        var received: [Int] = []
        while true {
          let channels = worker.isMultiple(of: 2) ? [b, a] : [a, b]
          let element = try Coroutine.select(channels.map { channel in .receive(from: channel) { $0 } })
          guard let element else { return received }
          received.append(element)
        }
      }
    }
    for future in sending { try await future.value }
    a.close()
    b.close()
    var all: [Int] = []
    for future in receiving { all += try await future.value }
    #expect(all.sorted() == Array(0..<workers * count))
  }

  /// Receivers are cancelled while elements are on their way to them.
  @Test(arguments: [.rendezvous, .bounded(2)] as [CoChannelBuffering])
  func cancellationThatRacesWithAHandOverLosesNothing(buffering: CoChannelBuffering) async throws {
    let channel = CoChannel<Int>(buffering)
    let count = 2_000
    let log = Log<Int>()
    let sending = Coroutine.start(on: DispatchQueue.global()) {
      for number in 0..<count { try channel.send(number) }
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
