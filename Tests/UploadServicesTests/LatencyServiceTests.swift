import RawThreads
import Testing
import UploadScenario
import UploadServices

@Suite struct LatencyServiceTests {
  private static let hour: UInt64 = 3_600_000_000_000

  private func service(_ ledger: Ledger, _ nanoseconds: [UInt64], faults: Faults = Faults()) -> LatencyService
  {
    LatencyService(
      ledger: ledger, faults: faults,
      trace: LatencyTrace(uploadNanoseconds: nanoseconds, postNanoseconds: 1_000))
  }

  @Test func uploadsArriveInTheOrderOfTheirTimes() {
    let post = testPost(4)
    // A millisecond and more apart, so that asking for all four takes less.
    let service = service(testLedger(4), [80_000_000, 20_000_000, 60_000_000, 40_000_000])
    let answers = Answers<Receipt>()
    let started = MonotonicClock.nanoseconds()
    for media in post.media { _ = service.upload(media) { answers.add($0) } }
    #expect(answers.first(4).map(\.arrived) == [1, 3, 2, 0])
    #expect(MonotonicClock.nanoseconds() - started >= 80_000_000)
  }

  @Test func anEarlierDeadlineWakesTheThread() {
    let post = testPost(2)
    let service = service(testLedger(2), [Self.hour, 1_000_000])
    let answers = Answers<Receipt>()
    let long = service.upload(post.media[0]) { answers.add($0) }
    _ = service.upload(post.media[1]) { answers.add($0) }
    #expect(answers.first(1).map(\.arrived) == [1])
    long.cancel()
    #expect(answers.first(2).map(\.isCancellation) == [false, true])
  }

  @Test func cancellingAnswersPromptlyAndOnce() {
    let post = testPost(1_000)
    let ledger = testLedger(1_000)
    let service = service(ledger, Array(repeating: Self.hour, count: 1_000))
    let answers = Answers<Receipt>()
    let handles = post.media.map { service.upload($0) { answers.add($0) } }
    for handle in handles.reversed() {
      handle.cancel()
      handle.cancel()
    }
    let results = answers.first(1_000)
    #expect(results.count == 1_000)
    #expect(results.allSatisfy { $0.isCancellation })
    #expect(ledger.record().requests.allSatisfy { $0 == .init(started: 1, cancelled: 1) })
  }

  /// Cancellation and deadline meet; whichever wins, each upload ends once and nothing is kept.
  @Test func cancellationsThatRaceWithTheDeadlineLeaveNothing() {
    weak var token: Token?
    let ledger = testLedger(2_000)
    let answers = Answers<Receipt>()
    var handles: [any Cancellable] = []
    do {
      let service = service(ledger, (0..<2_000).map { UInt64($0) * 500 })
      let held = Token()
      token = held
      for media in testPost(2_000).media {
        handles.append(service.upload(media) { result in withExtendedLifetime(held) { answers.add(result) } })
      }
    }
    for handle in handles { handle.cancel() }
    #expect(answers.first(2_000).count == 2_000)
    #expect(ledger.record().requests.allSatisfy { $0.started == 1 && $0.finished + $0.cancelled == 1 })
    #expect(comesTrue { token == nil })
    weak let handle = handles.first
    handles = []
    #expect(comesTrue { handle == nil })
  }
}
