import Coroutines
import Dispatch
import TestSupport
import Testing

/// All operations of channels at once, drawn from a seed: every sent element is received once or still buffered, whatever was
/// cancelled and whenever the channels were closed.
@Suite(.ownThread) struct ChannelTrafficTests {
  private struct Traffic: Sendable {
    let channels: [CoChannel<Int>] = [.init(capacity: 0), .init(capacity: 1), .init(capacity: 4), .init()]
    let sent = Log<Int>()
    let received = Log<Int>()

    /// One coroutine's share. It ends early when it is cancelled or finds a closed channel.
    func take(part worker: Int, seed: UInt64) throws {
      var random = SeededNumbers(seed: seed &* 1_000_003 &+ UInt64(worker))
      for element in worker * 100..<worker * 100 + 40 {
        let channel = channels.randomElement(using: &random)!
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
          try channel.awaitSend(element)
          sent.append(element)
        case 2, 3: received.append(try channel.awaitReceive())
        case 4: if channel.offer(element) { sent.append(element) }
        case 5: if let element = channel.poll() { received.append(element) }
        default: Coroutine.yield()
        }
      }
    }

    func close() {
      for channel in channels { channel.close() }
    }

    func check() {
      for channel in channels { while let element = channel.poll() { received.append(element) } }
      #expect(sent.entries.sorted() == received.entries.sorted())
      #expect(Set(sent.entries).count == sent.count)
    }
  }

  @Test(arguments: 0..<150 as Range<UInt64>) func `in one order for each seed`(seed: UInt64) {
    let (traffic, scheduler) = (Traffic(), SeededScheduler(seed: seed))
    var random = SeededNumbers(seed: seed)
    let futures = (0..<6).map { worker in
      Coroutine.start(on: scheduler) { try traffic.take(part: worker, seed: seed) }
    }
    for future in futures.prefix(3) {
      for _ in 0..<Int.random(in: 0..<40, using: &random) { scheduler.runOne() }
      future.cancel()
    }
    scheduler.run()
    traffic.close()
    scheduler.run()
    #expect(futures.allSatisfy { $0.isResolved })
    traffic.check()
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func `on threads`(seed: UInt64) async {
    let (traffic, pool) = (Traffic(), CoroutinePool(workers: 3))
    let futures = (0..<8).map { worker in
      let scheduler: any CoroutineScheduler = worker < 6 ? pool : DispatchQueue.global()
      return Coroutine.start(on: scheduler) { try traffic.take(part: worker, seed: seed) }
    }
    for future in futures.prefix(3) {
      await Task.yield()
      future.cancel()
    }
    traffic.close()
    for future in futures { _ = try? await future.value }
    traffic.check()
    pool.shutDown()
  }

  private static let capacities: [Int] = [0, 1, 16, .max]

  /// Each sender's elements keep their order.
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
    let receiving = (0..<receivers).map { _ in Coroutine.start(on: pool) { Array(channel) } }
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
}
