import ContenderRegistry
import Foundation

/// How long a contender's pattern is to write: lines of code of its pattern file, without blank ones, comments and
/// conditions of compilation.
enum SourceLines {
  /// By contender and pattern; what is not found where this executable was built is left out.
  ///
  /// A contender's folder is that of the module that its type is from.
  static func count(patterns: [String]) -> [String: [String: Int]] {
    var counts: [String: [String: Int]] = [:]
    for contender in contenders {
      let folder = String(reflecting: type(of: contender)).prefix { $0 != "." }
      for pattern in patterns {
        let text = ["Contenders", "Contenders/Rivals"].lazy.compactMap {
          let file = sources.appendingPathComponent("\($0)/\(folder)/\(fileName(of: pattern)).swift")
          return try? String(contentsOf: file, encoding: .utf8)
        }.first
        if let text { counts[contender.name, default: [:]][pattern] = lines(in: text) }
      }
    }
    return counts
  }

  /// `zip-serial` is in `ZipSerial.swift`.
  private static func fileName(of pattern: String) -> String {
    pattern.split(separator: "-").map(\.capitalized).joined()
  }

  static func lines(in text: String) -> Int {
    text.split(separator: "\n").count { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return !line.isEmpty && !line.hasPrefix("//") && !line.hasPrefix("#")
    }
  }

  /// Where this executable was built.
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
}
