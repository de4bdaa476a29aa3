import Foundation
import UploadScenario

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
            ? ObjectName.of(post.media[receipt.mediaIndex]) : "media \(receipt.mediaIndex)",
        byteCount: receipt.byteCount, checksum: String(receipt.checksum, radix: 16))
    }
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(self)
  }
}
