import Foundation

/// A page of this repository, by its path from the root.
struct Page: CustomStringConvertible {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Those that tell a reader what to type.
  static let all: [Page] = {
    let documents = try? FileManager.default.contentsOfDirectory(
      atPath: root.appendingPathComponent("Documentation").path)
    return
      (["README.md", "CONTRIBUTING.md", "results/README.md", "Examples/YourContender/README.md"]
      + (documents ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" })
      .map { Page($0) }
  }()

  let path: String
  var description: String { path }

  init(_ path: String) { self.path = path }

  func text() throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The same in one line, as a reader reads it who does not see where lines are broken.
  func prose() throws -> String {
    try text().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// What is set as code by four spaces, without those.
  func blocks() throws -> [String] {
    var blocks: [[Substring]] = [[]]
    for line in try text().split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    ") {
        blocks[blocks.count - 1].append(line.dropFirst(4))
      } else if !blocks[blocks.count - 1].isEmpty {
        blocks.append([])
      }
    }
    return blocks.map { $0.joined(separator: "\n") }
  }

  /// What stands between backticks in a paragraph, a list or a table.
  func codeSpans() throws -> [String] {
    let prose = try text().split(separator: "\n").filter { !$0.hasPrefix("    ") && !$0.hasPrefix("```") }
    return prose.joined(separator: "\n").matches(of: /`([^`]+)`/).map {
      $0.output.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }
}
