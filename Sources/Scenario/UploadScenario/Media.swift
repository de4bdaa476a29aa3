import Foundation

/// One photo or video of a post.
public struct Media: Sendable, Hashable {
  /// What a media file is; it changes no contender's work, only how a reader names it.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// What a camera took at one moment.
    case photo
    /// What a camera took over time, by the ending of the file's name.
    case video
  }

  /// Where the bytes come from.
  public enum Source: Sendable, Hashable {
    /// Bytes that a service derives from `checksum` when it needs them at all.
    case synthetic
    /// A file on this machine.
    case file(MediaFile)
  }

  /// The position in the post, from 0: receipts keep this order.
  public let index: Int
  /// How a reader names it.
  public let kind: Kind
  /// Its size. A synthetic media has no bytes until somebody reads it.
  public let byteCount: Int
  /// What a receipt must carry to prove that these bytes arrived.
  public let checksum: UInt64
  /// Where the bytes come from.
  public let source: Source

  /// Nothing is read: of a file, size and `Checksum` must be those of its bytes; synthetic bytes are derived from both.
  public init(index: Int, kind: Kind, byteCount: Int, checksum: UInt64, source: Source = .synthetic) {
    self.index = index
    self.kind = kind
    self.byteCount = byteCount
    self.checksum = checksum
    self.source = source
  }
}

/// What a service answers to an upload that arrived.
public struct Receipt: Sendable, Hashable {
  /// The media's position in its post.
  public let mediaIndex: Int
  /// How many bytes arrived; 0 of a lookup or a URL.
  public let byteCount: Int
  /// The checksum of the bytes that arrived, as the service saw them.
  public let checksum: UInt64

  /// For services: a contender passes receipts on, and makes none.
  public init(mediaIndex: Int, byteCount: Int, checksum: UInt64) {
    self.mediaIndex = mediaIndex
    self.byteCount = byteCount
    self.checksum = checksum
  }
}

extension Media {
  /// The receipt that proves this media file arrived whole.
  public var expectedReceipt: Receipt {
    Receipt(mediaIndex: index, byteCount: byteCount, checksum: checksum)
  }
}

/// The file on disk that a `Media` is read from. A class, so that copying a `Media` costs one retain.
public final class MediaFile: Sendable, Hashable {
  /// As the process that opens it finds it; two files are equal if their paths are.
  public let path: String
  /// The file's own name, without its folder.
  public let name: String
  private let folder: String
  private let relativePath: String

  /// A file below a folder that the user named, in whatever subfolder. It is not opened, nor looked for.
  public init(folder: String, relativePath: String) {
    path = folder.hasSuffix("/") ? folder + relativePath : "\(folder)/\(relativePath)"
    name = (relativePath as NSString).lastPathComponent
    self.folder = folder
    self.relativePath = relativePath
  }

  /// A descriptor to read the file from, for the caller to close. No link is followed below the folder, and no pipe waited for.
  func open() throws(FileError) -> Int32 {
    var directory = AT_FDCWD
    defer { if directory != AT_FDCWD { close(directory) } }
    // The folder itself may be a link, so it is part of the first step.
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
      path: path, reason: "cannot read \(path): it is not a file (any more); name the media again")
  }

  public static func == (a: MediaFile, b: MediaFile) -> Bool { a.path == b.path }
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// A checksum of bytes in the order in which they come, eight at a time; not for keeping secrets.
///
/// Xor, a multiplication by 2⁶⁴ ÷ golden ratio (Knuth's multiplicative hashing) and an xor-shift mix each little-endian word in;
/// the length and the finaliser of SplitMix64 close it. Two inputs of equal length that differ in one word never agree.
public struct Checksum: Sendable {
  private var state: UInt64 = 0
  private var byteCount = 0
  /// Bytes that do not fill a word yet, the first one lowest.
  private var pending: UInt64 = 0

  /// The checksum of no bytes.
  public init() {}

  /// Takes in the next bytes; how a whole is cut into pieces does not matter.
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
    // Carries the high bits down: multiplication alone only moves bits up.
    state ^= state >> 32
  }
}
