import Synchronization
import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct ChunkLedgerTests {
  /// Refuses to read the third chunk.
  private final class Refusing: ChunkLedger {
    struct Refusal: Error {}

    let asked = Mutex(0)
    let alive = Mutex(0)

    func chunkWillBeRead() throws {
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number == 3 { throw Refusal() }
    }

    func chunkRead() { alive.withLock { $0 += 1 } }
    func chunkReleased() { alive.withLock { $0 -= 1 } }
  }

  @Test func `a ledger that refuses a read leaves no chunk behind`() throws {
    let ledger = Refusing()
    let media = Media(index: 0, kind: .video, byteCount: 40, checksum: 1)
    let reader = try ChunkReader(media, chunkBytes: 8, ledger: ledger)
    var chunks = [try reader.next(), try reader.next()]
    #expect(throws: Refusing.Refusal.self) { try reader.next() }
    #expect(ledger.alive.withLock { $0 } == 2)
    chunks[0]?.giveBack()
    #expect(ledger.alive.withLock { $0 } == 1)
    chunks = []
    #expect(ledger.alive.withLock { $0 } == 0)
  }
}
