import RawThreads
import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

/// Each upload after its time.
@Suite(.ownThread) struct SimulatedServiceDeadlineTests {
  private static let hour: UInt64 = 3_600_000_000_000

  private func service(_ ledger: Ledger, _ nanoseconds: [UInt64]) -> SimulatedService {
    let trace = LatencyTrace(uploadNanoseconds: nanoseconds, postNanoseconds: 1_000)
    return SimulatedService.sharing([Account(ledger: ledger)], .deadlines(trace))[0]
  }

  /// Their times are 20 ms apart. A round in which the four requests took longer, on a busy machine, is ignored.
  @Test func `uploads arrive in the order of their times`() throws {
    let orders = (0..<100).lazy.compactMap { _ in order(askedWithin: 20_000_000) }
    #expect(try #require(orders.first) == [1, 3, 2, 0])
  }

  private func order(askedWithin gap: UInt64) -> [Int?]? {
    let service = service(testLedger(4), [4 * gap, gap, 3 * gap, 2 * gap])
    let answers = Answers<Receipt>()
    let started = MonotonicClock.nanoseconds()
    for media in testPost(4).media { _ = service.upload(media) { answers.append($0) } }
    let asked = MonotonicClock.nanoseconds()
    let order = answers.wait(for: 4).map(\.arrived)
    #expect(MonotonicClock.nanoseconds() - started >= 4 * gap)
    return asked - started < gap ? order : nil
  }

  @Test func `an earlier deadline wakes the thread`() {
    let post = testPost(2)
    let service = service(testLedger(2), [Self.hour, 1_000_000])
    let answers = Answers<Receipt>()
    let long = service.upload(post.media[0]) { answers.append($0) }
    _ = service.upload(post.media[1]) { answers.append($0) }
    #expect(answers.wait(for: 1).map(\.arrived) == [1])
    long.cancel()
    #expect(answers.wait(for: 2).map(\.isCancellation) == [false, true])
  }

  @Test func `cancelling answers promptly and once`() {
    let post = testPost(1_000)
    let ledger = testLedger(1_000)
    let service = service(ledger, Array(repeating: Self.hour, count: 1_000))
    let answers = Answers<Receipt>()
    let handles = post.media.map { service.upload($0) { answers.append($0) } }
    for handle in handles.reversed() {
      handle.cancel()
      handle.cancel()
    }
    let results = answers.wait(for: 1_000)
    #expect(results.count == 1_000)
    #expect(results.allSatisfy { $0.isCancellation })
    #expect(ledger.record().requests.allSatisfy { $0 == .init(started: 1, cancelled: 1) })
  }

  /// Whether the cancellation or the deadline wins, each upload ends once and nothing is kept.
  @Test func `cancellations that race with the deadline leave nothing`() {
    weak var token: Token?
    let ledger = testLedger(2_000)
    let answers = Answers<Receipt>()
    var handles: [any Cancellable] = []
    do {
      let service = service(ledger, (0..<2_000).map { UInt64($0) * 500 })
      let held = Token()
      token = held
      handles = testPost(2_000).media.map { media in
        service.upload(media) { result in withExtendedLifetime(held) { answers.append(result) } }
      }
    }
    for handle in handles { handle.cancel() }
    #expect(answers.wait(for: 2_000).count == 2_000)
    #expect(ledger.record().requests.allSatisfy { $0.started == 1 && $0.finished + $0.cancelled == 1 })
    #expect(comesTrue { token == nil })
    weak let handle = handles.first
    handles = []
    #expect(comesTrue { handle == nil })
  }
}

/// All uploads at once, in an order.
@Suite(.ownThread) struct SimulatedServiceBarrierTests {
  private func service(_ ledger: Ledger, _ uploads: Int, held: Int? = nil, _ order: CompletionOrder)
    -> SimulatedService
  {
    let policy = SimulatedService.Policy.barrier(
      uploads: uploads, held: held ?? uploads, order: order, seed: 3)
    return SimulatedService.sharing([Account(ledger: ledger)], policy)[0]
  }

  @Test(arguments: [
    (CompletionOrder.forward, Array(0..<1_000)), (.reverse, Array((0..<1_000).reversed())),
  ]) func `answers come in order, once all are in flight`(order: CompletionOrder, expected: [Int]) {
    let (post, ledger) = (testPost(1_000), testLedger(1_000))
    let service = service(ledger, 1_000, order)
    for _ in 0..<2 {
      ledger.open()
      let answers = Answers<Receipt>()
      for media in post.media.dropLast() { _ = service.upload(media) { answers.append($0) } }
      #expect(ledger.uploadsInFlight == 999)
      _ = service.upload(post.media[999]) { answers.append($0) }
      #expect(answers.wait(for: 1_000).map(\.arrived) == expected)
      #expect(ledger.record().peakInFlight == 1_000)
      let posts = Answers<Publication>()
      _ = service.createPost(post, receipts: []) { posts.append($0) }
      #expect(posts.wait(for: 1).count == 1)
    }
  }

  @Test func `a shuffled order is that of the seed`() {
    let orders = (0..<2).map { _ -> [Int?] in
      let service = service(testLedger(100), 100, .shuffled)
      let answers = upload(testPost(100).media, to: service)
      return answers.wait(for: 100).map(\.arrived)
    }
    #expect(orders[0] == orders[1])
    #expect(orders[0] != Array(0..<100) && Set(orders[0]) == Set(0..<100))
  }

  /// A limit: later uploads are not held.
  @Test func `uploads beyond the held ones are answered at once`() {
    let post = testPost(10)
    let service = service(testLedger(10), 10, held: 4, .forward)
    let answers = upload(post.media, to: service)
    #expect(answers.wait(for: 10).count == 10)
  }

  @Test func `cancelling answers promptly and once`() {
    let (post, ledger) = (testPost(10), testLedger(10))
    let service = service(ledger, 10, .forward)
    let answers = Answers<Receipt>()
    let handles = post.media.dropLast().map { service.upload($0) { answers.append($0) } }
    for handle in handles {
      handle.cancel()
      handle.cancel()
    }
    #expect(answers.wait(for: 9).allSatisfy { $0.isCancellation })
    #expect(ledger.record().requests.prefix(9).allSatisfy { $0 == .init(started: 1, cancelled: 1) })
  }

  @Test func `a held upload is answered when the service is released`() {
    let answers = Answers<Receipt>()
    let ledger = testLedger(2)
    do {
      let service = service(ledger, 2, .forward)
      _ = service.upload(testPost(2).media[0]) { answers.append($0) }
    }
    #expect(answers.wait(for: 1).map(\.arrived) == [0])
  }
}
