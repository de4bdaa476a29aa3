import Registry
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

/// The table of lines per contender and pattern, generated from the sources.
@Suite(.ownThread) struct LineCountTests {
  @Test func `the table of lines per pattern is what the sources hold`() throws {
    // A rival is there only with its trait.
    let ours = contenders.filter { contender in
      let module = String(reflecting: type(of: contender)).prefix { $0 != "." }
      return !module.hasSuffix("Rival") && !contender.name.contains("/")
    }
    let counts = SourceLines.count(of: ours, patterns: Pattern.allCases.map(\.rawValue))
    let page = Page("Documentation/Contenders.md")
    for contender in ours {
      let lines = try Pattern.allCases.map { "\(try #require(counts[contender.name]?[$0.rawValue]))" }
      let right = "| `\(contender.name)` | \(lines.joined(separator: " | ")) |"
      let numbers = #/\| `([^`]+)` (\| \d+ )+\|/#
      let row = try page.text().split(separator: "\n").first {
        $0.wholeMatch(of: numbers).map { $0.output.1 == contender.name } ?? false
      }
      try page.update(String(try #require(row, "\(page) has no row of \(contender.name)")), with: right)
      let isRight = try page.text().contains(right)
      #expect(isRight, "\(page) should have:\n\(right)")
    }
  }
}
