import UploadScenario

/// What a service's client does on this machine before anything is sent; the ledger sees it.
struct LocalWork: Sendable {
  let ledger: Ledger
  let preparePasses: Int
  let chunkBytes: Int

  init(ledger: Ledger, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024) {
    self.ledger = ledger
    self.preparePasses = preparePasses
    self.chunkBytes = chunkBytes
  }

  init(_ scenario: Scenario, ledger: Ledger) {
    self.init(ledger: ledger, preparePasses: scenario.preparePasses, chunkBytes: scenario.chunkBytes)
  }

  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    do { return try PreparedMedia(media, passes: preparePasses) } catch {
      ledger.chainEnded()
      throw error
    }
  }

  func chunks(of media: Media) throws -> ChunkReader {
    try ChunkReader(media, chunkBytes: chunkBytes, ledger: ledger)
  }
}
