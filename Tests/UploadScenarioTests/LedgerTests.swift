import Testing
import UploadScenario

@Suite struct LedgerTests {
  @Test func everyStartAndEndIsCounted() {
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

  @Test func whatComesTooLateOrIsUnknownIsSeen() {
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

  @Test func whatStartsAfterAStopIsSeenAsAfterAFailure() {
    let ledger = Ledger(requestCount: 2) { 1 }
    ledger.uploadStarted(0)
    ledger.stop()
    ledger.uploadStarted(1)
    #expect(ledger.record().startsAfterFailure == 1)
  }

  @Test func openForgetsEverything() {
    let ledger = Ledger(requestCount: 1) { 1 }
    ledger.uploadStarted(0)
    ledger.uploadFailed(0)
    ledger.postCreated([])
    ledger.close()
    ledger.open()
    #expect(ledger.record() == LedgerRecord(requests: [.init()], peakInFlight: 0))
  }
}
