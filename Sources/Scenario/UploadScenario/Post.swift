import Dispatch

/// An ordered list of media files to publish.
public struct Post: Sendable, Hashable {
  /// The id of the publication; the lookups of `zip` are derived from it.
  public let id: UInt64
  /// The media files, in the order of the receipts; each one's `index` is its place here.
  public let media: [Media]

  /// Creates a post; each media file's `index` must be its place.
  public init(id: UInt64, media: [Media]) {
    self.id = id
    self.media = media
  }

  /// A post of synthetic media: photos, then videos, each of `payloadBytes`.
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
  /// The scenario's post of synthetic media, without a `mediaDirectory`.
  public var syntheticPost: Post {
    .synthetic(photos: photos, videos: videos, payloadBytes: payloadBytes, seed: seed)
  }
}

/// A created post: every pattern's successful result.
public struct Publication: Sendable, Hashable {
  /// The post's `id`.
  public let postID: UInt64
  /// The receipts in the order of the post's media files.
  public let receipts: [Receipt]

  /// Creates a publication. Only services do, with the contender's receipts.
  public init(postID: UInt64, receipts: [Receipt]) {
    self.postID = postID
    self.receipts = receipts
  }
}

/// The priority of a post among others of the process, for idioms with priorities.
public enum PostPriority: String, Sendable, Hashable, Codable, CaseIterable {
  /// After everything else.
  case low
  /// The default.
  case normal
  /// A user waits for it.
  case high
}

extension DispatchTimeInterval {
  /// Whole nanoseconds, clamped to 0 … 100 years.
  public init(_ duration: Duration) {
    let bounded = min(max(duration, .zero), .seconds(100 * 365 * 86_400))
    self = .nanoseconds(Int(bounded / .nanoseconds(1)))
  }
}

extension DispatchQoS.QoSClass {
  /// The QoS class that users of Dispatch give such work.
  public init(_ priority: PostPriority) {
    self =
      switch priority {
      case .low: .utility
      case .normal: .default
      case .high: .userInitiated
      }
  }
}
