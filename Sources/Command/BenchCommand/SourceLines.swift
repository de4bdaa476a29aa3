import Foundation
import UploadScenario

/// How long a contender's pattern is to write: lines of code of the pattern's file, or of a variant's only file, and of every
/// declaration of the contender's target that it reaches. Blank lines, comments and conditions of compilation do not count.
enum SourceLines {
  /// By contender and pattern; what is not found where this executable was built is left out.
  static func count(of contenders: [any Contender], patterns: [String]) -> [String: [String: Int]] {
    var counts: [String: [String: Int]] = [:]
    var targets: [URL: SourceTarget] = [:]
    for contender in contenders {
      guard let own = files["\(type(of: contender)).swift"] else { continue }
      let folder = folder(of: own)
      let target = targets[folder] ?? SourceTarget(texts(in: folder))
      targets[folder] = target
      for pattern in patterns where contender.patterns.contains(where: { $0.rawValue == pattern }) {
        counts[contender.name, default: [:]][pattern] = target.lines(
          reachedFrom: file(of: contender, pattern, own).path)
      }
    }
    return counts
  }

  static func lines(in text: String) -> Int { SourceTarget.code(of: text).count(where: SourceTarget.isCode) }

  private static func texts(in folder: URL) -> [String: String] {
    swiftFiles(below: folder).reduce(into: [:]) { $0[$1.path] = try? String(contentsOf: $1, encoding: .utf8) }
  }

  private static func swiftFiles(below folder: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap {
      $0 as? URL
    }
    return (found ?? []).filter { $0.pathExtension == "swift" }
  }

  /// What `source_lines` counts, for whoever reads a recorded run; runs of earlier versions say nothing.
  static let rule = "the pattern's file and every declaration of the contender's target that it reaches"

  /// A contender has a file for each pattern, such as `ZipSerial.swift`, beside its own; a variant is one file.
  private static func file(of contender: any Contender, _ pattern: String, _ own: URL) -> URL {
    if contender.name.contains("/") { return own }
    let name = pattern.split(separator: "-").map(\.capitalized).joined()
    return own.deletingLastPathComponent().appendingPathComponent("\(name).swift")
  }

  private static func folder(of own: URL) -> URL {
    let folder = own.deletingLastPathComponent()
    return folder.lastPathComponent == "Variants" ? folder.deletingLastPathComponent() : folder
  }

  /// `Sources`, where this executable was built.
  static let sources = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// The contenders' files by name. A contender's own is named as its type.
  private static let files: [String: URL] = {
    let found = swiftFiles(below: sources.appending(path: "Contenders"))
    return Dictionary(found.map { ($0.lastPathComponent, $0) }) { first, _ in first }
  }()
}
