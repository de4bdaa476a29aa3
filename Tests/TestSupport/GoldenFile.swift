import Foundation

/// A file that a text is compared with, byte by byte.
package struct GoldenFile {
  /// What the text should be.
  package let expected: String
  /// The first line that differs, in words.
  package let difference: String

  /// Whether what tests compare with is written anew first, with FANOUT_UPDATE_GOLDEN=1.
  package static let areUpdated = ProcessInfo.processInfo.environment["FANOUT_UPDATE_GOLDEN"] == "1"

  /// Reads the file of that name in the folder `Golden` beside a test's source. Where it is written anew first, read what
  /// changed.
  package init(_ name: String, for text: String, beside source: String) throws {
    let file = URL(fileURLWithPath: source).deletingLastPathComponent().appendingPathComponent("Golden")
      .appendingPathComponent(name)
    if Self.areUpdated { try Data(text.utf8).write(to: file) }
    expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let lines = zip(
      text.split(separator: "\n", omittingEmptySubsequences: false),
      expected.split(separator: "\n", omittingEmptySubsequences: false))
    let pair = lines.first { $0 != $1 }
    difference = "\(name): \(pair.map { "got \"\($0)\", expected \"\($1)\"" } ?? "length differs")"
  }
}
