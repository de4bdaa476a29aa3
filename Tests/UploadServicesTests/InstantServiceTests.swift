import RawThreads
import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct InstantServiceTests {
  @Test func `uploads arrive in order, and the ledger records them first`() {
    let post = testPost(1_000)
    let ledger = testLedger(1_000)
    let service = InstantService.sharing([Account(ledger: ledger)])[0]
    let answers = upload(post.media, to: service)
    let results = answers.wait(for: 1_000)
    #expect(results.compactMap { try? $0.get() } == post.media.map(\.expectedReceipt))
    #expect(ledger.record().requests.allSatisfy { $0 == .init(started: 1, finished: 1) })
  }

  /// Ten thousand times, a thread that sleeps, or is about to, gets work.
  @Test func `no wake-up is lost`() {
    let media = testPost(1).media[0]
    let service = InstantService.sharing([Account(ledger: testLedger(1))])[0]
    let answered = Parker()
    let deadline = MonotonicClock.nanoseconds() + 60_000_000_000
    for _ in 0..<10_000 {
      _ = service.upload(media) { _ in answered.unpark() }
      guard answered.park(untilNanoseconds: deadline) else {
        Issue.record("an upload was never answered")
        return
      }
    }
  }

  @Test func `many threads may upload at once`() {
    let post = testPost(4_000)
    let ledger = testLedger(4_000)
    let service = InstantService.sharing([Account(ledger: ledger)])[0]
    let answers = Answers<Receipt>()
    let threads = (0..<4).map { part in
      RawThread(name: "asker") {
        for media in post.media[part * 1_000..<(part + 1) * 1_000] {
          _ = service.upload(media) { answers.append($0) }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(Set(answers.wait(for: 4_000).compactMap(\.arrived)).count == 4_000)
    #expect(ledger.record().inFlight == 0)
  }

  @Test func `a cancelled upload fails with a cancellation`() {
    let post = testPost(2)
    let ledger = testLedger(2)
    let service = InstantService.sharing([Account(ledger: ledger)])[0]
    expectCancellation(of: post, from: service, ledger)
  }

  @Test func `a released service answers its requests and releases everything`() {
    weak var token: Token?
    let answers = Answers<Receipt>()
    let ledger = testLedger(100)
    do {
      let service = InstantService.sharing([Account(ledger: ledger)])[0]
      let held = Token()
      token = held
      for media in testPost(100).media {
        _ = service.upload(media) { result in withExtendedLifetime(held) { answers.append(result) } }
      }
    }
    #expect(answers.wait(for: 100).count == 100)
    #expect(comesTrue { token == nil })
  }

  @Test func `the post is created from its receipts`() {
    let post = testPost(3)
    let ledger = testLedger(3)
    let receipts = post.media.map(\.expectedReceipt)
    let service = InstantService.sharing([Account(ledger: ledger)])[0]
    let answers = Answers<Publication>()
    _ = service.createPost(post, receipts: receipts) { answers.append($0) }
    #expect(answers.wait(for: 1).map { try? $0.get() } == [Publication(postID: post.id, receipts: receipts)])
    #expect(ledger.record().posts == [receipts])
  }
}
