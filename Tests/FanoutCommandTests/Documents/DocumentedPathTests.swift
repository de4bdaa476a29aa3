import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

/// Files and places that the pages name are there.
@Suite(.ownThread) struct DocumentedPathTests {
  /// What a reader is to write, and a file of another tool.
  private static let absent = ["Your", "Its", "plot_whisker"]

  private static let folders = [
    "Sources", "Tests", "Scripts", "Documentation", "results", "Examples", ".github",
  ]

  /// Every file of this repository with its folders, by its path from the root.
  private static let files: [String] = folders.flatMap { folder in
    let names = FileManager.default.enumerator(atPath: Page.root.appendingPathComponent(folder).path)
    return (names?.allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
  }

  @Test(arguments: Page.all)
  func `documented files and folders exist`(page: Page) throws {
    // A line of .gitignore may begin with `!`.
    for span in try page.codeSpans() where !span.contains(" ") && !span.hasPrefix("!") {
      let isPath = Self.folders.contains { span.hasPrefix("\($0)/") && $0 != "results" }
      let isFile = [".swift", ".md", ".py", "/"].contains { span.hasSuffix($0) }
      let name = span.split(separator: "/").last ?? ""
      guard isPath || isFile, !Self.absent.contains(where: name.hasPrefix) else { continue }
      let glob = Glob("*/" + (span.hasSuffix("/") ? String(span.dropLast()) : span))
      let isAtRoot = FileManager.default.fileExists(atPath: Page.root.appendingPathComponent(span).path)
      #expect(isAtRoot || Self.files.contains { glob.matches("/\($0)") }, "\(page): there is no \(span)")
    }
  }

  @Test(arguments: Page.all)
  func `links lead to files and headings`(page: Page) throws {
    let folder = Page.root.appendingPathComponent(page.path).deletingLastPathComponent()
    for link in try page.text().matches(of: /\]\(([^)\s]+)\)/).map({ String($0.output.1) }) {
      guard !link.contains("://") else { continue }
      let parts = link.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
      let file =
        parts[0].isEmpty
        ? Page.root.appendingPathComponent(page.path) : folder.appendingPathComponent(parts[0])
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link) leads nowhere")
      guard parts.count > 1 else { continue }
      let headings = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("#") }.map(Self.anchor)
      #expect(headings.contains(parts[1]), "\(page): \(link) names no heading")
    }
  }

  /// As GitHub makes it of a heading.
  private static func anchor(of heading: Substring) -> String {
    heading.drop { $0 == "#" || $0 == " " }.lowercased()
      .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.replacing(" ", with: "-")
  }
}
