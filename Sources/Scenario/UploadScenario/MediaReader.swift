import Foundation

/// Reads a media file's bytes in order. Synthetic bytes are generated from the file's checksum.
public struct MediaReader: ~Copyable {
  private enum Source {
    case file(descriptor: Int32, path: String)
    case synthetic(SeededGenerator, bytesLeft: Int)
  }

  private var source: Source

  /// Opens the media file. Throws if the file cannot be opened, is a link or is no regular file.
  public init(_ media: Media) throws(FileError) {
    source =
      switch media.source {
      case .synthetic: .synthetic(SeededGenerator(seed: media.checksum), bytesLeft: media.byteCount)
      case .file(let file): .file(descriptor: try file.open(), path: file.path)
      }
  }

  deinit {
    if case .file(let descriptor, _) = source { close(descriptor) }
  }

  /// Fills the chunk completely unless the media file ends. Returns the number of bytes read, 0 at the end.
  public mutating func read(into chunk: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    switch source {
    case .file(let descriptor, let path):
      var filled = 0
      while filled < chunk.count {
        let count = Foundation.read(descriptor, chunk.baseAddress! + filled, chunk.count - filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileError(errno, path: path) }
        if count == 0 { break }
        filled += count
      }
      return filled
    case .synthetic(var generator, let bytesLeft):
      let count = min(chunk.count, bytesLeft)
      for offset in stride(from: 0, to: count, by: 8) {
        chunk.storeBytes(of: generator.next().littleEndian, toByteOffset: offset, as: UInt64.self)
      }
      source = .synthetic(generator, bytesLeft: bytesLeft - count)
      return count
    }
  }

  /// Passes the remaining bytes to `body` in pieces.
  mutating func readAll(_ body: (UnsafeRawBufferPointer) -> Void) throws(FileError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try read(into: buffer), count > 0 {
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

/// The error for a file or folder that could not be used.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path of the file or folder.
  public let path: String
  /// The problem and what to do. The text contains the path.
  public let reason: String

  public var description: String { reason }

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

  /// Creates an error from a value of `errno`. `attempt` is the failed operation, such as "write".
  package init(_ code: Int32, attempt: String = "read", path: String) {
    let advice =
      switch code {
      case EACCES, EPERM: "permission denied; change its permissions or choose another path"
      case ENOENT: "it does not exist (any more); check the path"
      case ENOTDIR: "it is not a directory; name a directory or remove what is there"
      case ELOOP: "it is a link, and links are not followed; remove it or name where it points to"
      case EMFILE, ENFILE: "too many open files; raise the limit with ulimit -n"
      case ENOSPC, EDQUOT: "the disk is full; free some space or choose another store"
      case EROFS: "the file system is read-only; choose another store"
      case EFBIG: "the file would be larger than is allowed; raise the limit with ulimit -f"
      default: "\(String(cString: strerror(code))); check the disk and the path"
      }
    self.init(path: path, reason: "cannot \(attempt) \(path): \(advice)")
  }
}
