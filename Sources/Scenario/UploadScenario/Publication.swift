/// A created post: what every pattern reports when all went well.
public struct Publication: Sendable, Hashable {
  /// The post's `id`.
  public let postID: UInt64
  /// In the order of the post's media, whatever the order in which the uploads finished.
  public let receipts: [Receipt]

  /// For services: the receipts are those that the contender gave, in its order.
  public init(postID: UInt64, receipts: [Receipt]) {
    self.postID = postID
    self.receipts = receipts
  }

  /// The first media's receipt; nil for a post without media.
  public var main: Receipt? { receipts.first }
  /// The receipts of all other media.
  public var subs: ArraySlice<Receipt> { receipts.dropFirst() }
}
