import Foundation
import Testing

/// The files that exports are compared with, byte by byte.
enum Golden {
  /// Set FANOUT_UPDATE_GOLDEN=1 to write the files anew, then read what changed.
  static func expect(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")
      .appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["FANOUT_UPDATE_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let lines = zip(
      text.split(separator: "\n", omittingEmptySubsequences: false),
      expected.split(separator: "\n", omittingEmptySubsequences: false))
    let difference = lines.first { $0 != $1 }
    #expect(
      text == expected,
      "\(name): \(difference.map { "got \"\($0)\", expected \"\($1)\"" } ?? "length differs")",
      sourceLocation: sourceLocation)
  }
}
