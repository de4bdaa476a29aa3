/// What is published: an ordered list of media. The first is the main one, the others are subs.
public struct Post: Sendable, Hashable {
  /// What a publication must carry; the lookups of `zip` are answered from it.
  public let id: UInt64
  /// In the order in which receipts must come; each one's `index` is its place here.
  public let media: [Media]

  /// Each media has its place here as its `index`.
  public init(id: UInt64, media: [Media]) {
    self.id = id
    self.media = media
  }

  /// A post of made-up media: photos first, then videos, each of `payloadBytes`.
  public static func synthetic(photos: Int, videos: Int, payloadBytes: Int, seed: UInt64) -> Post {
    var generator = SeededGenerator(seed: seed)
    let media = (0..<photos + videos).map { index in
      Media(
        index: index, kind: index < photos ? .photo : .video, byteCount: payloadBytes,
        checksum: generator.next())
    }
    return Post(id: generator.next(), media: media)
  }
}
