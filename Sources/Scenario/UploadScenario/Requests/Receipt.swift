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
  /// The receipt that proves this media arrived whole.
  public var expectedReceipt: Receipt {
    Receipt(mediaIndex: index, byteCount: byteCount, checksum: checksum)
  }
}
