import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct LedgerTests {
  @Test func `every start and end is counted`() {
    let ledger = Ledger(requestCount: 4) { 77 }
    for index in 0..<4 { ledger.uploadStarted(index) }
    ledger.uploadFinished(0)
    ledger.uploadCancelled(1)
    ledger.uploadFailed(2)
    let record = ledger.record()
    #expect(
      record.requests == [
        .init(started: 1, finished: 1), .init(started: 1, cancelled: 1), .init(started: 1, failed: 1),
        .init(started: 1),
      ])
    #expect(record.peakInFlight == 4)
    #expect(record.inFlight == 1)
    #expect(record.firstFailureNanoseconds == 77)
    #expect(record.startsAfterCompletion == 0)
  }

  @Test func `late and unknown starts are counted`() {
    let ledger = Ledger(requestCount: 1) { 1 }
    ledger.uploadStarted(0)
    ledger.uploadFailed(0)
    ledger.close()
    ledger.uploadStarted(0)
    ledger.uploadStarted(9)
    let record = ledger.record()
    #expect(record.startsAfterCompletion == 2)
    #expect(record.startsAfterFailure == 2)
    #expect(record.strayStarts == 1)
  }

  @Test func `a start after a stop counts as one after a failure`() {
    let ledger = Ledger(requestCount: 2) { 1 }
    ledger.uploadStarted(0)
    ledger.stop()
    ledger.uploadStarted(1)
    #expect(ledger.record().startsAfterFailure == 1)
  }

  @Test func `answers before the post are counted`() {
    let ledger = Ledger(requestCount: 3) { 1 }
    for index in 0..<3 { ledger.uploadStarted(index) }
    #expect(ledger.record().answersBeforePost == nil)
    ledger.uploadFinished(2)
    ledger.uploadCancelled(0)
    ledger.postRequested()
    ledger.uploadFinished(1)
    // The first one counts.
    ledger.postRequested()
    let record = ledger.record()
    #expect(record.answersBeforePost == 2)
    #expect(record.peakInFlight == 3)
    #expect(record.inFlight == 0)
  }

  @Test(arguments: [false, true]) func `posts before the completion are counted`(isCreated: Bool) {
    let ledger = Ledger(requestCount: 0) { 1 }
    if isCreated { ledger.postCreated([]) }
    #expect(ledger.record().postsBeforeCompletion == nil)
    ledger.close()
    ledger.postCreated([])
    ledger.close()
    #expect(ledger.record().postsBeforeCompletion == (isCreated ? 1 : 0))
  }

  /// The earlier record had more requests, as many, or none.
  @Test(arguments: [4, 2, 0]) func `a record in reused memory is the same`(earlier: Int) {
    let ledger = Ledger(requestCount: 2) { 1 }
    for index in 0..<2 { ledger.uploadStarted(index) }
    ledger.uploadFinished(1)
    let memory = Array(repeating: LedgerRecord.Counts(started: 9, failed: 9), count: earlier)
    #expect(ledger.record(reusing: memory) == ledger.record())
  }

  @Test func `a record reuses the memory it is given`() {
    let ledger = Ledger(requestCount: 2) { 1 }
    var memory: [LedgerRecord.Counts]? = ledger.record().requests
    let place = memory!.withUnsafeBytes { $0.baseAddress }
    let record = ledger.record(reusing: memory.take()!)
    #expect(record.requests.withUnsafeBytes { $0.baseAddress } == place)
  }

  @Test func `open resets a ledger`() {
    let ledger = Ledger(requestCount: 1) { 1 }
    ledger.uploadStarted(0)
    ledger.uploadFailed(0)
    ledger.postRequested()
    ledger.postCreated([])
    ledger.close()
    ledger.open()
    let empty = LedgerRecord(requests: [.init()], peakInFlight: 0) {
      $0.prepares = 0
      $0.chunksRead = 0
    }
    #expect(ledger.record() == empty)
  }
}
