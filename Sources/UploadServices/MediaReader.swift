import Foundation
import UploadScenario

/// Reads a media's bytes in order: from its file, or made up from its checksum.
struct MediaReader: ~Copyable {
  private enum Source {
    case file(descriptor: Int32, path: String)
    case synthetic(SeededGenerator, bytesLeft: Int)
  }

  private var source: Source

  /// Fails if the media's file cannot be opened, is a link or is no regular file.
  init(_ media: Media) throws(StoreError) {
    source =
      switch media.source {
      case .synthetic: .synthetic(SeededGenerator(seed: media.checksum), bytesLeft: media.byteCount)
      case .file(let file): .file(descriptor: try Self.openFile(file.path), path: file.path)
      }
  }

  deinit {
    if case .file(let descriptor, _) = source { close(descriptor) }
  }

  /// Fills the chunk from its start, whole unless the media ends; 0: there is nothing left.
  ///
  /// The chunk's size must be a multiple of 8.
  mutating func read(into chunk: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
    switch source {
    case .file(let descriptor, let path):
      var filled = 0
      while filled < chunk.count {
        let count = Foundation.read(descriptor, chunk.baseAddress! + filled, chunk.count - filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw StoreError(errno, attempt: "read", path: path) }
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

  private static func openFile(_ path: String) throws(StoreError) -> Int32 {
    // Not blocking, so that a pipe that took the file's place cannot hold a thread for ever.
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw StoreError(errno, attempt: "read", path: path) }
    var info = stat()
    if fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG { return descriptor }
    close(descriptor)
    throw StoreError(
      path: path, reason: "cannot read \(path): it is not a file (any more); name the media again")
  }
}
