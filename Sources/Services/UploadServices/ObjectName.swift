import Foundation
import UploadScenario

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

  /// A part of a media that is stored in parts.
  static func of(_ chunk: Chunk) -> String { part(chunk.index) }

  static func part(_ index: Int) -> String { String(format: "%06d-part.bin", index) }
}
