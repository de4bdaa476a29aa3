import Foundation
import TestSupport

/// A page of this repository, by its path from the root.
struct Page: CustomStringConvertible {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The pages that show commands.
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

  /// Blocks of code, without their four spaces.
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

  /// The text between the comments `NAME: begin` and `NAME: end`.
  func fenced(_ name: String) throws -> String {
    let parts = try text().components(separatedBy: "<!-- \(name): begin -->\n```text\n")
    let rest = parts.dropFirst().first?.components(separatedBy: "\n```\n<!-- \(name): end -->")
    guard parts.count == 2, let rest, rest.count == 2 else {
      throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: "\(path): \(name)"])
    }
    return rest[0]
  }

  /// With FANOUT_UPDATE_GOLDEN=1 rewrites what the page quotes, as of golden files: review the changes.
  func update(_ quoted: String, with right: String) throws {
    guard GoldenFile.areUpdated, quoted != right else { return }
    let file = Self.root.appendingPathComponent(path)
    try Data(text().replacing(quoted, with: right).utf8).write(to: file)
  }

  /// A block of ``blocks()`` as the page has it.
  static func indented(_ block: String) -> String {
    block.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n")
  }

  func codeSpans() throws -> [String] {
    let prose = try text().split(separator: "\n").filter { !$0.hasPrefix("    ") && !$0.hasPrefix("```") }
    return prose.joined(separator: "\n").matches(of: /`([^`]+)`/).map {
      $0.output.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }
}

/// Splits a line into commands and words, as far as documents need a shell: single quotes keep their text, double quotes vanish, and
/// parentheses, `;`, `&&`, `|` and `>` begin another command.
enum ShellWords {
  static func commands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word = ""
    var isQuoted = false
    func endWord() {
      if !word.isEmpty { commands[commands.count - 1].append(word) }
      word = ""
    }
    scan: for character in line {
      switch character {
      case "'": isQuoted.toggle()
      case _ where isQuoted: word.append(character)
      case "#" where word.isEmpty: break scan
      case " ": endWord()
      case "\"": continue
      case ";", "&", "|", ">", "<", "(", ")":
        endWord()
        commands.append([])
      default: word.append(character)
      }
    }
    endWord()
    return commands.filter { !$0.isEmpty }
  }
}
