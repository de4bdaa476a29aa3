import Foundation
import UploadScenario

/// How long a contender's pattern is to write: lines of code of its pattern file, or of a variant's only file, without
/// blank ones, comments and conditions of compilation.
enum SourceLines {
  /// By contender and pattern; what is not found where this executable was built is left out.
  ///
  /// A contender's folder is that of the module that its type is from.
  static func count(of contenders: [any Contender], patterns: [String]) -> [String: [String: Int]] {
    var counts: [String: [String: Int]] = [:]
    for contender in contenders {
      for pattern in patterns where contender.patterns.contains(where: { $0.rawValue == pattern }) {
        let text = ["Contenders", "Contenders/Rivals"].lazy.compactMap {
          let file = sources.appendingPathComponent("\($0)/\(path(of: contender, pattern)).swift")
          return try? String(contentsOf: file, encoding: .utf8)
        }.first
        if let text { counts[contender.name, default: [:]][pattern] = lines(in: text) }
      }
    }
    return counts
  }

  /// A contender has a file for each pattern, such as `ZipSerial.swift`; a variant is one file.
  private static func path(of contender: any Contender, _ pattern: String) -> String {
    let parts = String(reflecting: type(of: contender)).split(separator: ".").map(String.init)
    let file = pattern.split(separator: "-").map(\.capitalized).joined()
    return contender.name.contains("/")
      ? "\(parts[0])/Variants/\(parts[parts.count - 1])" : "\(parts[0])/\(file)"
  }

  static func lines(in text: String) -> Int {
    text.split(separator: "\n").count { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return !line.isEmpty && !line.hasPrefix("//") && !line.hasPrefix("#")
    }
  }

  /// Where this executable was built.
  static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
}
