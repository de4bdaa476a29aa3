/// One photo or video of a post.
public struct Media: Sendable, Hashable {
  /// What a media is; it changes no contender's work, only how a reader names it.
  public enum Kind: String, Sendable, Hashable, Codable { case photo, video }

  /// Where the bytes come from.
  public enum Source: Sendable, Hashable {
    /// Bytes that a service derives from `checksum` when it needs them at all.
    case synthetic
    /// A file on this machine.
    case file(MediaFile)
  }

  /// The position in the post, from 0: receipts keep this order.
  public let index: Int
  public let kind: Kind
  public let byteCount: Int
  /// What a receipt must carry to prove that these bytes arrived.
  public let checksum: UInt64
  public let source: Source

  public init(index: Int, kind: Kind, byteCount: Int, checksum: UInt64, source: Source = .synthetic) {
    self.index = index
    self.kind = kind
    self.byteCount = byteCount
    self.checksum = checksum
    self.source = source
  }
}

/// A file that a media is read from. A class, so that copying a `Media` costs one retain.
public final class MediaFile: Sendable, Hashable {
  public let path: String
  /// The file's own name, without its folder.
  public let name: String

  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }

  public static func == (a: MediaFile, b: MediaFile) -> Bool { a.path == b.path }
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
