/// What a service answers to an upload that arrived.
public struct Receipt: Sendable, Hashable {
  /// The media's position in its post.
  public let mediaIndex: Int
  public let byteCount: Int
  /// The checksum of the bytes that arrived, as the service saw them.
  public let checksum: UInt64

  public init(mediaIndex: Int, byteCount: Int, checksum: UInt64) {
    self.mediaIndex = mediaIndex
    self.byteCount = byteCount
    self.checksum = checksum
  }
}

extension Media {
  /// The receipt that proves this media arrived whole.
  public var expectedReceipt: Receipt {
    Receipt(mediaIndex: index, byteCount: byteCount, checksum: checksum)
  }
}
