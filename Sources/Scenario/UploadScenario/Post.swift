import Dispatch

/// An ordered list of media files to publish.
public struct Post: Sendable, Hashable {
  /// The id of the publication. The answers to the lookups of `zip` are derived from the id.
  public let id: UInt64
  /// The media files, in the order of the receipts. The `index` of each is its position in this array.
  public let media: [Media]

  /// Creates a post. The `index` of each media file must be its position in the array.
  public init(id: UInt64, media: [Media]) {
    self.id = id
    self.media = media
  }

  /// Creates a post of synthetic media: photos, then videos, each of `payloadBytes`.
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
  /// The synthetic post of a scenario without a `mediaDirectory`.
  public var syntheticPost: Post {
    .synthetic(photos: photos, videos: videos, payloadBytes: payloadBytes, seed: seed)
  }
}

/// A created post, which is the result of every successful job.
public struct Publication: Sendable, Hashable {
  /// The post's `id`.
  public let postID: UInt64
  /// The receipts in the order of the post's media files.
  public let receipts: [Receipt]

  /// Creates a publication. Only services create publications, with the contender's receipts.
  public init(postID: UInt64, receipts: [Receipt]) {
    self.postID = postID
    self.receipts = receipts
  }
}

/// The priority of a post among other posts of the process.
public enum PostPriority: String, Sendable, Hashable, Codable, CaseIterable {
  /// The post may run after all other work.
  case low
  /// The post has the default priority.
  case normal
  /// A user is waiting for the post.
  case high
}

extension DispatchTimeInterval {
  /// Converts a duration to whole nanoseconds, clamped to 0 … 100 years.
  public init(_ duration: Duration) {
    let bounded = min(max(duration, .zero), .seconds(100 * 365 * 86_400))
    self = .nanoseconds(Int(bounded / .nanoseconds(1)))
  }
}

extension DispatchQoS.QoSClass {
  /// Converts a priority to the QoS class that Dispatch offers for such work.
  public init(_ priority: PostPriority) {
    self =
      switch priority {
      case .low: .utility
      case .normal: .default
      case .high: .userInitiated
      }
  }
}
