import Foundation

/// A file that a text is compared with, byte by byte.
package struct GoldenFile {
  /// The expected text.
  package let expected: String
  /// The first difference, in words.
  package let difference: String

  /// Whether golden files are updated first, with FANOUT_UPDATE_GOLDEN=1.
  package static let areUpdated = ProcessInfo.processInfo.environment["FANOUT_UPDATE_GOLDEN"] == "1"

  /// Reads a file of the folder `Golden` beside a test's source. Review the changes after an update.
  package init(_ name: String, for text: String, beside source: String) throws {
    let file = URL(fileURLWithPath: source).deletingLastPathComponent().appendingPathComponent("Golden")
      .appendingPathComponent(name)
    if Self.areUpdated { try Data(text.utf8).write(to: file) }
    expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let lines = zip(
      text.split(separator: "\n", omittingEmptySubsequences: false),
      expected.split(separator: "\n", omittingEmptySubsequences: false))
    let pair = lines.first { $0 != $1 }
    difference = "\(name): \(pair.map { "got \"\($0)\", expected \"\($1)\"" } ?? "length differs")"
  }
}

/// An example of a runtime's page, and the same lines in a test.
package struct FirstExample {
  /// The page's Swift block.
  package let shown: [String]
  /// The lines between `// example: begin` and `// example: end` in the test, without indentation.
  package let compiled: [String]

  /// - Parameters:
  ///   - testFile: the test's `#filePath`, in a folder beside this package's sources.
  ///   - number: the example's number, on the page and in the test.
  package init(ofRuntime name: String, testFile: String, number: Int = 1) throws {
    let test = URL(filePath: testFile)
    let page = test.deletingLastPathComponent()
      .appending(path: "../../Sources/Runtimes/\(name)/\(name).docc/\(name).md")
    shown = try Self.lines(of: page, after: "```swift", to: "```", number)
    let body = try Self.lines(of: test, after: "// example: begin", to: "// example: end", number)
    let indentation = body.first { !$0.isEmpty }?.prefix { $0 == " " } ?? ""
    compiled = body.map { String($0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0[...]) }
  }

  private static func lines(of file: URL, after start: String, to end: String, _ number: Int)
    throws -> [String]
  {
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    func isMark(_ line: String, _ mark: String) -> Bool { line.drop { $0 == " " } == mark }
    var rest = lines[...]
    for _ in 0..<number { rest = rest.drop { !isMark($0, start) }.dropFirst() }
    return Array(rest.prefix { !isMark($0, end) })
  }
}
