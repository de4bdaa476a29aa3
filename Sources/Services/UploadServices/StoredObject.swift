import UploadScenario

/// Something that a post leaves in a store: a media, or a part of one.
public struct StoredObject: Sendable {
  public let name: String
  public let byteCount: Int
  let media: Media
  /// Where in the media it begins.
  let offset: Int

  /// All of them, in the order of the post.
  public static func all(of post: Post, _ scenario: Scenario) -> [StoredObject] {
    guard scenario.pattern == .stream, let media = post.media.first else { return all(of: post) }
    return stride(from: 0, to: media.byteCount, by: scenario.chunkBytes).enumerated().map { index, offset in
      StoredObject(
        name: ObjectName.part(index), byteCount: min(scenario.chunkBytes, media.byteCount - offset),
        media: media, offset: offset)
    }
  }

  /// Each media as one object.
  static func all(of post: Post) -> [StoredObject] {
    post.media.map {
      StoredObject(name: ObjectName.of($0), byteCount: $0.byteCount, media: $0, offset: 0)
    }
  }
}
