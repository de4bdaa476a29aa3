import Verdicts
import Conformance
import Registry
import Exports
import Foundation
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

/// What the pages count is as many as there are.
@Suite(.ownThread) struct DocumentedNumberTests {
  private static let readme = Page("README.md")
  private static let guide = Page("Documentation/Guide.md")

  /// Such as `nine`, up to a hundred.
  static func word(_ number: Int) -> String {
    let formatter = NumberFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.numberStyle = .spellOut
    return formatter.string(from: number as NSNumber) ?? "\(number)"
  }

  /// Without rivals, which are there only with their traits, and the variant that a run takes by itself.
  private static let ours: [any Contender] = contenders.filter { contender in
    let module = String(reflecting: type(of: contender)).prefix { $0 != "." }
    return !module.hasSuffix("Rival") && !contender.name.contains("/")
  }

  private static func expect(
    _ sentences: [String], on page: Page, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let prose = try page.prose()
    for sentence in sentences {
      let isSaid = prose.localizedCaseInsensitiveContains(sentence)
      #expect(isSaid, "\(page) should say: \(sentence)", sourceLocation: sourceLocation)
    }
  }

  @Test func theReadmeIntroducesEveryContender() throws {
    let rows = try Self.rows(of: Self.readme, after: "| contender | what its users call it | who ships it |")
    #expect(rows.map { Self.spans($0[0]) } == Self.ours.map { [$0.name] })
    for (contender, row) in zip(Self.ours, rows) {
      let idiom = try #require(idioms.of(contender.name))
      #expect(row[1].contains(idiom.name) && row[2].hasSuffix(idiom.shipper.rawValue), "\(contender.name)")
      #expect(idiom.perUpload != nil, "\(contender.name)")
    }
  }

  @Test func servicesAreNamed() throws {
    let prose = try Self.guide.prose()
    let sentence = try #require(prose.firstMatch(of: #/services are uploaded to:(.*?)\. /#)).output.1
    #expect(Self.spans(String(sentence)) == Set(ServiceKind.allCases.map(\.rawValue)))
  }

  @Test func patternsHaveTheirOptions() throws {
    let rows = try Self.rows(of: Self.guide, after: "| pattern | ")
    #expect(rows.map { Self.spans($0[0]) } == Pattern.allCases.map { [$0.rawValue] })
    for (pattern, row) in zip(Pattern.allCases, rows) {
      for option in Self.spans(row[2]) {
        let known = try #require(ScenarioOptions.options.first { $0.name == option }, "\(option)")
        let given = try Options([known.name] + (known.value == nil ? [] : ["1"]), known: [known])
        #expect(throws: Never.self, "\(option)") { try ScenarioOption.check(given, [pattern]) }
      }
    }
  }

  @Test func formatsOfOtherToolsAreNamed() throws {
    let rows = try Self.rows(of: Self.guide, after: "| format | ")
    #expect(rows.map { Self.spans($0[0]) } == ExportFormat.allCases.map { [$0.rawValue] })
  }

  @Test func exitCodesAreNamed() throws {
    let sentence = try #require(try Self.guide.prose().firstMatch(of: #/Exit codes:(.*?)\. /#)).output.1
    let codes = sentence.matches(of: /\d+/).compactMap { Int32($0.output) }
    #expect(codes == ExitCode.allCases.map(\.rawValue))
  }

  @Test func theOwnContenderIsSoManyLines() throws {
    let folder = "Examples/YourContender"
    let lines = SourceLines.lines(in: try Page("\(folder)/Sources/your-contender/YourContender.swift").text())
    try Self.expect(["is a package that adds one in \(lines) lines"], on: Self.readme)
  }

  @Test func patternsAreSoManyLines() throws {
    let counts = SourceLines.count(of: Self.ours, patterns: Pattern.allCases.map(\.rawValue))
    let rows = try Self.ours.map { contender in
      let lines = try Pattern.allCases.map { "\(try #require(counts[contender.name]?[$0.rawValue]))" }
      return "| `\(contender.name)` | \(lines.joined(separator: " | ")) |"
    }
    let hasAll = try Page("Documentation/Contenders.md").text().contains(rows.joined(separator: "\n"))
    #expect(hasAll, "the page should have:\n\(rows.joined(separator: "\n"))")
  }

  @Test func variantsAreListed() throws {
    let rows = try Self.rows(of: Page("Documentation/Contenders.md"), after: "| variant | ")
    #expect(
      rows.flatMap { Self.spans($0[0]) }
        == (contenders + variants).map(\.name).filter { $0.contains("/") && !$0.hasPrefix("textbook/") })
    let described = try Self.rows(of: Page("Documentation/Contenders.md"), after: "| contender | for each")
    #expect(described.flatMap { Self.spans($0[0]) } == Self.ours.map(\.name))
  }

  @Test func theRunThatIsQuotedIsTheOneThatIsRecorded() throws {
    let path = Page.root.appendingPathComponent("results/reference").path
    let environment = try RecordedRun.existing(path).readEnvironment()
    let day = ISO8601DateFormatter.string(
      from: environment.startedAt, timeZone: .gmt, formatOptions: .withFullDate)
    let toolchain = try #require(environment.toolchain?.prefix { $0 != "(" }.dropLast())
    // Where it was written is nobody's business, nor whether it told of its progress.
    let command = environment.commandLine.prefix { $0 != "--output" }.joined(separator: " ")
    try Self.expect(
      [
        "recorded on \(day) with `\(command)` on \(environment.cpuModel ?? "") (a shared virtual machine with \(environment.coreCount ?? 0) cores), \(environment.operatingSystem ?? ""), \(toolchain), commit `\(environment.commit?.prefix(12) ?? "")`"
      ], on: Self.readme)
  }

  // MARK: Parts of pages

  private static func spans(_ text: String) -> Set<String> {
    Set(text.matches(of: /`([^`]+)`/).map { String($0.output.1) })
  }

  /// The cells of a table whose head begins so.
  private static func rows(of page: Page, after head: String) throws -> [[String]] {
    let lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix(head) }, "\(page) has no table \(head)")
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}
