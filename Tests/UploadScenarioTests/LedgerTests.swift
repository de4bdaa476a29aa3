import Testing
import UploadScenario

@Suite struct LedgerTests {
  @Test func everyStartAndEndIsCounted() {
    let ledger = Ledger(mediaCount: 4) { 77 }
    for index in 0..<4 { ledger.uploadStarted(index) }
    ledger.uploadFinished(0)
    ledger.uploadCancelled(1)
    ledger.uploadFailed(2)
    let record = ledger.record()
    #expect(
      record.media == [
        .init(started: 1, finished: 1), .init(started: 1, cancelled: 1), .init(started: 1, failed: 1),
        .init(started: 1),
      ])
    #expect(record.peakInFlight == 4)
    #expect(record.inFlight == 1)
    #expect(record.firstFailureNanoseconds == 77)
    #expect(record.startsAfterCompletion == 0)
  }

  @Test func whatComesTooLateOrIsUnknownIsSeen() {
    let ledger = Ledger(mediaCount: 1) { 1 }
    ledger.uploadStarted(0)
    ledger.uploadFailed(0)
    ledger.close()
    ledger.uploadStarted(0)
    ledger.uploadStarted(9)
    let record = ledger.record()
    #expect(record.startsAfterCompletion == 2)
    #expect(record.startsAfterFailure == 2)
    #expect(record.startsOfUnknownMedia == 1)
  }

  @Test func openForgetsEverything() {
    let ledger = Ledger(mediaCount: 1) { 1 }
    ledger.uploadStarted(0)
    ledger.uploadFailed(0)
    ledger.postCreated([])
    ledger.close()
    ledger.open()
    #expect(ledger.record() == LedgerRecord(media: [.init()], peakInFlight: 0))
  }
}
