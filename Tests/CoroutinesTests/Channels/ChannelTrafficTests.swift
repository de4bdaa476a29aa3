import Coroutines
import Dispatch
import TestSupport
import Testing

/// Everything that channels can do at once, as a seed says: what was sent is received once or still there, whoever was
/// cancelled and whenever the channels were closed.
@Suite(.ownThread) struct ChannelTrafficTests {
  private struct Traffic: Sendable {
    let channels: [CoChannel<Int>] = [.init(), .init(.bounded(1)), .init(.bounded(4)), .init(.unlimited)]
    let timer = ManualCoTimer()
    let sent = Log<Int>()
    let received = Log<Int>()

    /// One coroutine's share. It ends early when it is cancelled or meets a channel that is closed.
    func take(part worker: Int, seed: UInt64) throws {
      var random = SeededNumbers(seed: seed &* 1_000_003 &+ UInt64(worker))
      for element in worker * 100..<worker * 100 + 40 {
        let (one, other) = (channels.randomElement(using: &random)!, channels.randomElement(using: &random)!)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
          try one.send(element)
          sent.append(element)
        case 2, 3: received.append(try one.receive())
        case 4: if one.offer(element) { sent.append(element) }
        case 5: if let element = one.poll() { received.append(element) }
        case 6:
          try Coroutine.select(
            .send(element, to: one) { sent.append(element) },
            .receive(from: other) { if let element = $0 { received.append(element) } },
            .timeout(.seconds(Int64(element)), on: timer) {})
        default:
          try Coroutine.select(
            .receive(from: one) { if let element = $0 { received.append(element) } },
            .default { Coroutine.yield() })
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
      #expect(timer.pendingCount == 0)
    }
  }

  @Test(arguments: 0..<150 as Range<UInt64>) func inOneOrderForEachSeed(seed: UInt64) {
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
    traffic.timer.advance(by: .seconds(Int64(seed) * 4))
    scheduler.run()
    traffic.close()
    scheduler.run()
    #expect(futures.allSatisfy { $0.isResolved })
    traffic.check()
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func onThreads(seed: UInt64) async {
    let (traffic, pool) = (Traffic(), CoroutinePool(workers: 3))
    let futures = (0..<8).map { worker in
      let scheduler: any CoroutineScheduler = worker < 6 ? pool : DispatchQueue.global()
      return Coroutine.start(on: scheduler) { try traffic.take(part: worker, seed: seed) }
    }
    for future in futures.prefix(3) {
      await Task.yield()
      future.cancel()
    }
    traffic.timer.advance(by: .seconds(200))
    traffic.close()
    for future in futures { _ = try? await future.value }
    traffic.check()
    pool.shutDown()
  }
}
