import Registry
import Testing
import UploadScenario

@testable import BenchCommand

@Suite struct SourceLinesTests {
  @Test func blankLinesCommentsAndConditionsAreNotCounted() {
    let text = "#if A\nimport A\n\n// why\n  /// what\nlet b = 1  // one\n}\n#endif\n"
    #expect(SourceLines.lines(in: text) == 3)
  }

  @Test(arguments: Pattern.allCases)
  func everyContendersPatternsAreFound(pattern: Pattern) {
    let counts = SourceLines.count(of: contenders + variants, patterns: [pattern.rawValue])
    for contender in contenders + variants where contender.patterns.contains(pattern) {
      #expect(counts[contender.name]?[pattern.rawValue] ?? 0 > 0, "\(contender.name)")
    }
  }
}
