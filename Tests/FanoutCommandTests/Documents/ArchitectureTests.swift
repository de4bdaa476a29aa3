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

  /// The modules that each folder's files import.
  private static func imports(of folder: String) -> Set<String> {
    let files = FileManager.default.enumerator(
      at: sources.appending(path: folder), includingPropertiesForKeys: nil)
    var modules: Set<String> = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      for match in text.matches(of: /(?m)^ *(?:\w+ )*import (?:\w+ )?(\w+)/) {
        modules.insert(String(match.output.1))
      }
    }
    return modules
  }

  /// The folder of each target that the manifest names.
  private static func owners() throws -> [String: String] {
    let manifest = try Page("Package.swift").text()
    // A contender's folder is named after its idiom, as a runtime's is, and holds targets of other names.
    var owners = ["Registry": "Contenders"]
    for match in manifest.matches(of: /\("(\w+)", "(\w+Uploads)"/) {
      owners[String(match.output.2)] = "Contenders"
    }
    for folder in try folders(of: sources) where folder != "Contenders" {
      for target in try folders(of: sources.appending(path: folder)) {
        owners[target] = folder
      }
    }
    return owners
  }

  @Test func everyFolderHasItsRow() throws {
    let rows = try Self.rows(under: "folder of").map { Self.names(in: $0[0]) }
    #expect(rows.allSatisfy { $0.count == 1 })
    #expect(Set(rows.joined()) == Set(try Self.folders(of: Self.sources)))
  }

  @Test func aFolderUsesWhatItsRowSays() throws {
    let owners = try Self.owners()
    for row in try Self.rows(under: "folder of") {
      let folder = try #require(Self.names(in: row[0]).first)
      let used = Set(Self.imports(of: folder).compactMap { owners[$0] }).subtracting([folder])
      let said =
        row[2] == "all" ? Set(owners.values).subtracting([folder, "Runtimes"]) : Self.names(in: row[2])
      #expect(used == said, "\(folder)")
    }
  }

  @Test func recipesNameWhatIsThere() throws {
    let rows = try Self.rows(under: "to add")
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

  @Test func itFitsOnAPage() throws {
    #expect(try Self.page.text().utf8.count <= 4_096)
  }
}
