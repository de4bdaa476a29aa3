/// A created post: what every pattern reports when all went well.
public struct Publication: Sendable, Hashable {
  public let postID: UInt64
  /// In the order of the post's media, whatever the order in which the uploads finished.
  public let receipts: [Receipt]

  public init(postID: UInt64, receipts: [Receipt]) {
    self.postID = postID
    self.receipts = receipts
  }

  /// The first media's receipt; nil for a post without media.
  public var main: Receipt? { receipts.first }
  public var subs: ArraySlice<Receipt> { receipts.dropFirst() }
}
