import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct ChunkReaderTests {
  static func media(_ byteCount: Int) -> Media {
    Post.synthetic(photos: 0, videos: 1, payloadBytes: byteCount, seed: 7).media[0]
  }

  private func bytes(_ chunk: Chunk) -> [UInt8] { chunk.withBytes { Array($0) } }

  @Test(arguments: [(0, []), (8, [8]), (24, [24]), (60, [24, 24, 12])] as [(Int, [Int])])
  func `chunks are all the bytes, in order`(_ byteCount: Int, _ sizes: [Int]) throws {
    let whole = try ChunkReader(Self.media(byteCount), chunkBytes: 1 << 10)
    let expected = try whole.next().map(bytes) ?? []
    let reader = try ChunkReader(Self.media(byteCount), chunkBytes: 24)
    var chunks: [Chunk] = []
    while let chunk = try reader.next() { chunks.append(chunk) }
    #expect(chunks.map(\.index) == Array(sizes.indices))
    #expect(chunks.map(\.byteCount) == sizes)
    #expect(chunks.flatMap(bytes) == expected)
    #expect(expected.count == byteCount)
    #expect(try reader.next() == nil)
  }

  @Test func `a chunk is in memory until it is given back or released`() throws {
    let ledger = Ledger(requestCount: 3) { 1 }
    let reader = try ChunkReader(Self.media(24), chunkBytes: 8, ledger: ledger)
    let first = try #require(try reader.next())
    var second: Chunk? = try reader.next()
    #expect(ledger.chunksAlive == 2)
    first.giveBack()
    first.giveBack()
    #expect(ledger.chunksAlive == 1)
    withExtendedLifetime(second) {}
    second = nil
    #expect(ledger.chunksAlive == 0)
    #expect(ledger.record().peakChunks == 2)
    withExtendedLifetime(first) {}
  }

  @Test func `a receipt is made from the bytes`() throws {
    let reader = try ChunkReader(Self.media(16), chunkBytes: 8)
    let receipts = try [reader.next(), reader.next()].map { try #require($0).receipt }
    #expect(receipts.map(\.mediaIndex) == [0, 1])
    #expect(receipts[0].checksum != receipts[1].checksum)
  }

  /// Refuses to read the third chunk.
  private final class Refusing: ChunkLedger {
    struct Refusal: Error {}

    let asked = Counter()
    let alive = Counter()

    func chunkWillBeRead() throws { if asked.add() == 3 { throw Refusal() } }
    func chunkRead() { alive.add() }
    func chunkReleased() { alive.add(-1) }
  }

  @Test func `a ledger that refuses a read leaves no chunk behind`() throws {
    let ledger = Refusing()
    let media = Media(index: 0, kind: .video, byteCount: 40, checksum: 1)
    let reader = try ChunkReader(media, chunkBytes: 8, ledger: ledger)
    var chunks = [try reader.next(), try reader.next()]
    #expect(throws: Refusing.Refusal.self) { try reader.next() }
    #expect(ledger.alive.current == 2)
    chunks[0]?.giveBack()
    #expect(ledger.alive.current == 1)
    chunks = []
    #expect(ledger.alive.current == 0)
  }
}
