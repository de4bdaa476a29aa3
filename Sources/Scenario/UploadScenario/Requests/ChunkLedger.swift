/// Whoever wants to know of every chunk: how many have a buffer, and where they are read.
public protocol ChunkLedger: AnyObject, Sendable {
  /// The next chunk, or the end, is about to be read on this thread; throwing makes the read fail.
  func chunkWillBeRead() throws
  /// A chunk of a media has been read into a buffer.
  func chunkRead()
  /// A chunk's buffer was freed.
  func chunkReleased()
}

extension ChunkLedger {
  public func chunkWillBeRead() {}
}
