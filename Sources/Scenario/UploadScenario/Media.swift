import Foundation

/// One photo or video of a post.
public struct Media: Sendable, Hashable {
  /// The kind of a media file. No contender depends on it.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// The media file is a photo.
    case photo
    /// The media file is a video. The extension of a file determines its kind.
    case video
  }

  /// The source of a media file's bytes.
  public enum Source: Sendable, Hashable {
    /// The bytes are generated when they are read, with `checksum` as the seed.
    case synthetic
    /// The bytes are those of a file on this machine.
    case file(MediaFile)
  }

  /// The position in the post, from 0. Receipts have the same order.
  public let index: Int
  /// The kind of the media file.
  public let kind: Kind
  /// The size in bytes.
  public let byteCount: Int
  /// The checksum of a file's bytes, or the seed of synthetic bytes. In a receipt, it proves that these bytes arrived.
  public let checksum: UInt64
  /// The source of the bytes.
  public let source: Source

  /// Creates a media file. The size and the checksum must be those of the bytes, which are not read.
  public init(index: Int, kind: Kind, byteCount: Int, checksum: UInt64, source: Source = .synthetic) {
    self.index = index
    self.kind = kind
    self.byteCount = byteCount
    self.checksum = checksum
    self.source = source
  }

  /// The receipt that proves that this media file arrived completely.
  public var expectedReceipt: Receipt {
    Receipt(mediaIndex: index, byteCount: byteCount, checksum: checksum)
  }
}

/// The service's answer to a successful upload.
public struct Receipt: Sendable, Hashable {
  /// The media file's index in its post.
  public let mediaIndex: Int
  /// The number of bytes that arrived, 0 for a lookup or a URL.
  public let byteCount: Int
  /// The checksum of the bytes that arrived.
  public let checksum: UInt64

  /// Creates a receipt. Only services create receipts; contenders pass them on.
  public init(mediaIndex: Int, byteCount: Int, checksum: UInt64) {
    self.mediaIndex = mediaIndex
    self.byteCount = byteCount
    self.checksum = checksum
  }
}

/// The file of a `Media`. It is a class, so that a copy of a `Media` needs only one retain.
public final class MediaFile: Sendable, Hashable {
  /// The path, relative to the process's working directory. Two files are equal if their paths are equal.
  public let path: String
  /// The file's name without its folder.
  public let name: String
  private let folder: String
  private let relativePath: String

  /// Creates a reference to a file inside a folder, without opening the file.
  public init(folder: String, relativePath: String) {
    path = folder.hasSuffix("/") ? folder + relativePath : "\(folder)/\(relativePath)"
    name = (relativePath as NSString).lastPathComponent
    self.folder = folder
    self.relativePath = relativePath
  }

  /// Opens the file for reading. Links inside the folder are not followed, and a FIFO does not wait for a writer.
  func open() throws(FileError) -> Int32 {
    var directory = AT_FDCWD
    defer { if directory != AT_FDCWD { close(directory) } }
    // The folder itself may be a link, so the first path includes it.
    var step = folder + "/"
    var parts = relativePath.split(separator: "/")[...]
    while parts.count > 1 {
      step += parts.removeFirst()
      let inner = openat(directory, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else { throw FileError(errno, path: path) }
      if directory != AT_FDCWD { close(directory) }
      directory = inner
      step = ""
    }
    step += parts.first ?? ""
    let descriptor = openat(directory, step, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(errno, path: path) }
    var info = stat()
    if fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG { return descriptor }
    close(descriptor)
    throw FileError(
      path: path, reason: "cannot read \(path): it is not a regular file (any more); choose another file")
  }

  public static func == (a: MediaFile, b: MediaFile) -> Bool { a.path == b.path }
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// A checksum of bytes in order. It is not cryptographic, but inputs of equal length that differ in one word never collide.
///
/// Each little-endian word of eight bytes is mixed in by xor, by a multiplication by 2⁶⁴ ÷ golden ratio (Knuth's multiplicative
/// hashing) and by an xor-shift. SplitMix64's finaliser mixes in the length.
public struct Checksum: Sendable {
  private var state: UInt64 = 0
  private var byteCount = 0
  /// The bytes of an incomplete word. The first byte is the lowest.
  private var pending: UInt64 = 0

  /// Creates the checksum of an empty input.
  public init() {}

  /// Adds the next bytes. The result does not depend on how the input is split.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while byteCount % 8 != 0, offset < bytes.count {
      take(bytes[offset])
      offset += 1
    }
    let words = (bytes.count - offset) / 8
    for _ in 0..<words {
      absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    byteCount += words * 8
    for byte in bytes[offset...] { take(byte) }
  }

  /// The checksum of all bytes so far.
  public var value: UInt64 {
    var last = self
    if byteCount % 8 != 0 { last.absorb(pending) }
    return SeededGenerator.value(seed: last.state, index: byteCount)
  }

  private mutating func take(_ byte: UInt8) {
    pending |= UInt64(byte) << (byteCount % 8 * 8)
    byteCount += 1
    guard byteCount % 8 == 0 else { return }
    absorb(pending)
    pending = 0
  }

  private mutating func absorb(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    // A multiplication moves bits only up, so this moves high bits down.
    state ^= state >> 32
  }
}
