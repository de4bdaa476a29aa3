import Synchronization

/// Some of the bytes of a media file, in a buffer of their own until they have been sent.
public final class Chunk: @unchecked Sendable {
  // Invariant: allocated and filled by the reader before anyone else sees the chunk, never written again, freed once, by
  // the one who turns `isGivenBack`: whoever sends the chunk, which has no more use for the bytes, or deinit.
  private let buffer: UnsafeMutableRawBufferPointer
  private let isGivenBack = Atomic<Bool>(false)
  private let ledger: (any ChunkLedger)?
  /// The position in the media, from 0.
  public let index: Int
  /// How many bytes it holds: those of the reader, or fewer in the last one.
  public let byteCount: Int

  init(index: Int, buffer: UnsafeMutableRawBufferPointer, byteCount: Int, ledger: (any ChunkLedger)?) {
    self.index = index
    self.buffer = buffer
    self.byteCount = byteCount
    self.ledger = ledger
  }

  deinit { giveBack() }

  /// Frees the buffer. A service does so when it is done with the bytes, before it calls the completion.
  public func giveBack() {
    guard !isGivenBack.exchange(true, ordering: .acquiringAndReleasing) else { return }
    buffer.deallocate()
    ledger?.chunkReleased()
  }

  /// The bytes, until they have been given back.
  public func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    precondition(!isGivenBack.load(ordering: .acquiring), "the chunk has been sent: its bytes are gone")
    return try body(UnsafeRawBufferPointer(rebasing: buffer[..<byteCount]))
  }

  /// The receipt that proves that these bytes arrived; computed from them.
  public var receipt: Receipt {
    var checksum = Checksum()
    withBytes { checksum.update($0) }
    return Receipt(mediaIndex: index, byteCount: byteCount, checksum: checksum.value)
  }
}

/// Reads one media file in order, chunk by chunk, each into a buffer of its own.
///
/// For one reader at a time. The ledger knows how many chunks are alive.
public final class ChunkReader: @unchecked Sendable {
  // Invariant: touched by one thread at a time, which is what the type asks of its users.
  private var reader: MediaReader
  private let chunkBytes: Int
  private let ledger: (any ChunkLedger)?
  private var count = 0

  /// Chunks of `chunkBytes`, a multiple of 8; the last one may be shorter. Throws `FileError`.
  public init(_ media: Media, chunkBytes: Int, ledger: (any ChunkLedger)? = nil) throws {
    precondition(
      chunkBytes > 0 && chunkBytes % 8 == 0, "a chunk has a multiple of 8 bytes, not \(chunkBytes)")
    reader = try MediaReader(media)
    self.chunkBytes = chunkBytes
    self.ledger = ledger
  }

  /// The next chunk, nil at the end; reads on the calling thread. Throws `FileError`, or what its ledger throws.
  public func next() throws -> Chunk? {
    try ledger?.chunkWillBeRead()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
    let byteCount: Int
    do { byteCount = try reader.read(into: buffer) } catch {
      buffer.deallocate()
      throw error
    }
    guard byteCount > 0 else {
      buffer.deallocate()
      return nil
    }
    ledger?.chunkRead()
    defer { count += 1 }
    return Chunk(index: count, buffer: buffer, byteCount: byteCount, ledger: ledger)
  }
}

/// Whoever wants to know of every chunk: how many have a buffer, and where they are read.
public protocol ChunkLedger: AnyObject, Sendable {
  /// The next chunk, or the end, is about to be read on this thread; throwing makes the read fail.
  func chunkWillBeRead() throws
  /// A chunk of a media file has been read into a buffer.
  func chunkRead()
  /// A chunk's buffer was freed.
  func chunkReleased()
}

extension ChunkLedger {
  public func chunkWillBeRead() {}
}
