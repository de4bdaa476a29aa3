import Foundation
import UploadScenario

/// How long a contender's pattern is to write: lines of code of its pattern file, or of a variant's only file, without
/// blank ones, comments and conditions of compilation.
enum SourceLines {
  /// By contender and pattern; what is not found where this executable was built is left out.
  static func count(of contenders: [any Contender], patterns: [String]) -> [String: [String: Int]] {
    var counts: [String: [String: Int]] = [:]
    for contender in contenders {
      guard let own = files["\(type(of: contender)).swift"] else { continue }
      for pattern in patterns where contender.patterns.contains(where: { $0.rawValue == pattern }) {
        let text = try? String(contentsOf: file(of: contender, pattern, own), encoding: .utf8)
        if let text { counts[contender.name, default: [:]][pattern] = lines(in: text) }
      }
    }
    return counts
  }

  /// A contender has a file for each pattern, such as `ZipSerial.swift`, beside its own; a variant is one file.
  private static func file(of contender: any Contender, _ pattern: String, _ own: URL) -> URL {
    if contender.name.contains("/") { return own }
    let name = pattern.split(separator: "-").map(\.capitalized).joined()
    return own.deletingLastPathComponent().appendingPathComponent("\(name).swift")
  }

  static func lines(in text: String) -> Int {
    text.split(separator: "\n").count { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return !line.isEmpty && !line.hasPrefix("//") && !line.hasPrefix("#")
    }
  }

  /// `Sources`, where this executable was built.
  static let sources = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// The contenders' files by name. A contender's own is named as its type.
  private static let files: [String: URL] = {
    let folder = sources.appending(path: "Contenders")
    let found =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL } ?? []
    return Dictionary(found.map { ($0.lastPathComponent, $0) }, uniquingKeysWith: { first, _ in first })
  }()
}
