import Foundation
import UploadScenario

/// Something that a post leaves in a store: a media file, or a part of one.
public struct StoredObject: Sendable {
  public let name: String
  public let byteCount: Int
  let media: Media
  /// Where in the media it begins.
  let offset: Int

  /// All of them, in the order of the post.
  public static func all(of post: Post, _ scenario: Scenario) -> [StoredObject] {
    guard scenario.pattern.isChunked, let media = post.media.first else { return all(of: post) }
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

/// What objects are called in the store.
enum ObjectName {
  static let manifest = "manifest.json"
  /// Longest part that is taken from a file's name; file systems allow 255 bytes in all.
  private static let longestName = 120

  /// The media's index and its file's name, such as `000003-beach.jpg`.
  ///
  /// Only ASCII letters, digits, dot, dash and underscore are kept, so the name has no separator and cannot lead out
  /// of the store; the index keeps names apart, and keeps them from being hidden.
  static func of(_ media: Media) -> String {
    let name =
      switch media.source {
      case .file(let file): file.name
      case .synthetic: "\(media.kind.rawValue).bin"
      }
    let safe = name.unicodeScalars.map { scalar -> Character in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": return Character(scalar)
      default: return "_"
      }
    }
    // The end is kept: it says what kind of file it is.
    return String(format: "%06d-", media.index) + String(safe.suffix(longestName))
  }

  /// A part of a media file that is stored in parts.
  static func of(_ chunk: Chunk) -> String { part(chunk.index) }

  static func part(_ index: Int) -> String { String(format: "%06d-part.bin", index) }
}

/// What a post in the store consists of; written as `manifest.json` beside its objects.
struct Manifest: Codable, Equatable {
  struct Object: Codable, Equatable {
    var name: String
    var byteCount: Int
    /// In hexadecimal, as a string: JSON numbers do not carry 64 bits everywhere.
    var checksum: String
  }

  var postID: String
  /// In the order of the post.
  var objects: [Object]

  /// - Parameter isInParts: the receipts are of the parts of one media.
  init(_ post: Post, receipts: [Receipt], isInParts: Bool = false) {
    postID = String(post.id, radix: 16)
    objects = receipts.map { receipt in
      Object(
        name: isInParts
          ? ObjectName.part(receipt.mediaIndex)
          : post.media.indices.contains(receipt.mediaIndex)
            ? ObjectName.of(post.media[receipt.mediaIndex]) : "media file \(receipt.mediaIndex)",
        byteCount: receipt.byteCount, checksum: String(receipt.checksum, radix: 16))
    }
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(self)
  }
}
