import Synchronization

/// A part of a media file, with its own buffer until it is sent.
public final class Chunk: @unchecked Sendable {
  // Invariant: `buffer` is filled before another thread sees the chunk, and never written again. `giveBack` or deinit frees it,
  // whichever sets `isGivenBack` first.
  private let buffer: UnsafeMutableRawBufferPointer
  private let isGivenBack = Atomic<Bool>(false)
  private let ledger: (any ChunkLedger)?
  /// The index in the media file, from 0.
  public let index: Int
  /// The number of bytes: the reader's chunk size, or fewer in the last chunk.
  public let byteCount: Int

  init(index: Int, buffer: UnsafeMutableRawBufferPointer, byteCount: Int, ledger: (any ChunkLedger)?) {
    self.index = index
    self.buffer = buffer
    self.byteCount = byteCount
    self.ledger = ledger
  }

  deinit { giveBack() }

  /// Frees the buffer. A service calls this after it has sent the bytes, before it calls the completion.
  public func giveBack() {
    guard !isGivenBack.exchange(true, ordering: .acquiringAndReleasing) else { return }
    buffer.deallocate()
    ledger?.chunkReleased()
  }

  /// Calls `body` with the bytes. Must not be called after `giveBack`.
  public func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    precondition(!isGivenBack.load(ordering: .acquiring), "withBytes called after giveBack freed the bytes")
    return try body(UnsafeRawBufferPointer(rebasing: buffer[..<byteCount]))
  }

  /// The receipt that proves that these bytes arrived.
  public var receipt: Receipt {
    var checksum = Checksum()
    withBytes { checksum.update($0) }
    return Receipt(mediaIndex: index, byteCount: byteCount, checksum: checksum.value)
  }
}

/// Reads a media file in order, chunk by chunk. Only one thread at a time may use it.
public final class ChunkReader: @unchecked Sendable {
  // Invariant: the users of a reader ensure that only one thread at a time uses it.
  private var reader: MediaReader
  private let chunkBytes: Int
  private let ledger: (any ChunkLedger)?
  private var count = 0

  /// Creates a reader of chunks of `chunkBytes`, a multiple of 8. The last chunk may be shorter. Throws `FileError`.
  public init(_ media: Media, chunkBytes: Int, ledger: (any ChunkLedger)? = nil) throws {
    precondition(
      chunkBytes > 0 && chunkBytes % 8 == 0, "chunkBytes must be a multiple of 8, not \(chunkBytes)")
    reader = try MediaReader(media)
    self.chunkBytes = chunkBytes
    self.ledger = ledger
  }

  /// Reads the next chunk on the calling thread. Returns `nil` at the end. Throws `FileError`, or the ledger's error.
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

/// Observes how many chunks are in memory, and on which threads they are read.
public protocol ChunkLedger: AnyObject, Sendable {
  /// Called on the reading thread before it reads the next chunk. An error that this throws fails the read.
  func chunkWillBeRead() throws
  /// Called after a chunk was read into a buffer.
  func chunkRead()
  /// Called after a chunk's buffer was freed.
  func chunkReleased()
}

extension ChunkLedger {
  public func chunkWillBeRead() {}
}
