import Foundation
import TestSupport
import Testing

/// The page of the architecture is that of the tree beside it.
@Suite(.ownThread) struct ArchitectureTests {
  private static let page = Page("Documentation/Architecture.md")
  private static let sources = Page.root.appending(path: "Sources")

  /// Rows of the table whose first heading begins so.
  private static func rows(under heading: String) throws -> [[String]] {
    let lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("| \(heading)") })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private static func names(in cell: String) -> Set<String> {
    Set(cell.matches(of: /`([^`]+)`/).map { String($0.output.1) })
  }

  private static func folders(of folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
      .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
      .map(\.lastPathComponent)
  }

  @Test func `every folder of Sources has a row`() throws {
    let rows = try Self.rows(under: "folder of").map { Self.names(in: $0[0]) }
    #expect(rows.allSatisfy { $0.count == 1 })
    #expect(Set(rows.joined()) == Set(try Self.folders(of: Self.sources)))
  }

  @Test func `files and folders that the page names are there`() throws {
    let rows = try Self.rows(under: "to change")
    #expect(rows.count >= 10)
    for row in rows {
      let paths = row[1].matches(of: /`([^`]*[\/.][^`]*)`/).map { String($0.output.1) }
      let first = Self.sources.appending(path: try #require(paths.first, "\(row[0]) names no file"))
      for path in paths {
        // What follows the first one may be told from where that is.
        let isThere = [Self.sources, Page.root, first, first.deletingLastPathComponent()].contains {
          FileManager.default.fileExists(atPath: $0.appending(path: path).path)
        }
        #expect(isThere, "\(row[0]): there is no \(path)")
      }
    }
  }
}
