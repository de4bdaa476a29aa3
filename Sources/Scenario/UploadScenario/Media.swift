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
