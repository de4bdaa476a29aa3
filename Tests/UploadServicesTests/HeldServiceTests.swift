import Testing
import UploadScenario
import UploadServices

@Suite struct HeldServiceTests {
  private func service(_ ledger: Ledger, _ uploads: Int, held: Int? = nil, _ order: CompletionOrder)
    -> HeldService
  {
    HeldService(ledger: ledger, uploads: uploads, held: held ?? uploads, order: order, seed: 3)
  }

  @Test(arguments: [
    (CompletionOrder.forward, Array(0..<1_000)), (.reverse, Array((0..<1_000).reversed())),
  ]) func nobodyIsAnsweredBeforeAllAreInFlightAndThenInOrder(order: CompletionOrder, expected: [Int]) {
    let (post, ledger) = (testPost(1_000), testLedger(1_000))
    let service = service(ledger, 1_000, order)
    for _ in 0..<2 {
      ledger.open()
      let answers = Answers<Receipt>()
      for media in post.media.dropLast() { _ = service.upload(media) { answers.add($0) } }
      #expect(ledger.uploadsInFlight == 999)
      _ = service.upload(post.media[999]) { answers.add($0) }
      #expect(answers.first(1_000).map(\.arrived) == expected)
      #expect(ledger.record().peakInFlight == 1_000)
      let posts = Answers<Publication>()
      _ = service.createPost(post, receipts: []) { posts.add($0) }
      #expect(posts.first(1).count == 1)
    }
  }

  @Test func aShuffledOrderIsThatOfTheSeed() {
    let orders = (0..<2).map { _ -> [Int?] in
      let service = service(testLedger(100), 100, .shuffled)
      let answers = Answers<Receipt>()
      for media in testPost(100).media { _ = service.upload(media) { answers.add($0) } }
      return answers.first(100).map(\.arrived)
    }
    #expect(orders[0] == orders[1])
    #expect(orders[0] != Array(0..<100) && Set(orders[0]) == Set(0..<100))
  }

  /// A limit: what comes after those that can be in flight at once is no longer held.
  @Test func thoseThatComeLaterAreAnsweredAtOnce() {
    let post = testPost(10)
    let service = service(testLedger(10), 10, held: 4, .forward)
    let answers = Answers<Receipt>()
    for media in post.media { _ = service.upload(media) { answers.add($0) } }
    #expect(answers.first(10).count == 10)
  }

  @Test func cancellingAnswersPromptlyAndOnce() {
    let (post, ledger) = (testPost(10), testLedger(10))
    let service = service(ledger, 10, .forward)
    let answers = Answers<Receipt>()
    let handles = post.media.dropLast().map { service.upload($0) { answers.add($0) } }
    for handle in handles {
      handle.cancel()
      handle.cancel()
    }
    #expect(answers.first(9).allSatisfy { $0.isCancellation })
    #expect(ledger.record().requests.prefix(9).allSatisfy { $0 == .init(started: 1, cancelled: 1) })
  }

  @Test func whoeverIsHeldWhenTheServiceGoesIsAnswered() {
    let answers = Answers<Receipt>()
    let ledger = testLedger(2)
    do {
      let service = service(ledger, 2, .forward)
      _ = service.upload(testPost(2).media[0]) { answers.add($0) }
    }
    #expect(answers.first(1).map(\.arrived) == [0])
  }
}
