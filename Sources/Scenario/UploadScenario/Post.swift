import Dispatch

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

extension Scenario {
  /// The post of made-up media that it is of where it has no `mediaDirectory`.
  public var syntheticPost: Post {
    .synthetic(photos: photos, videos: videos, payloadBytes: payloadBytes, seed: seed)
  }
}

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
}

/// How urgent a post is beside others of the same process, for an idiom that knows priorities.
public enum PostPriority: String, Sendable, Hashable, Codable, CaseIterable {
  /// Whatever else wants to run goes first.
  case low
  /// As where nobody says anything.
  case normal
  /// A user waits for it.
  case high
}

extension DispatchTimeInterval {
  /// Whole nanoseconds, from none to those of a century.
  public init(_ duration: Duration) {
    let bounded = min(max(duration, .zero), .seconds(100 * 365 * 86_400))
    self = .nanoseconds(Int(bounded / .nanoseconds(1)))
  }
}

extension DispatchQoS.QoSClass {
  /// The class of service that users of Dispatch give such work.
  public init(_ priority: PostPriority) {
    self =
      switch priority {
      case .low: .utility
      case .normal: .default
      case .high: .userInitiated
      }
  }
}
