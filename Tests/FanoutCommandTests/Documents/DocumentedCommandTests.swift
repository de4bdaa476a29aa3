import Exports
import Foundation
import Registry
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct DocumentedCommandTests {
  struct Line: CustomTestStringConvertible {
    let page: Page
    let program: String
    let arguments: [String]

    var testDescription: String { "\(page): \(program) \(arguments.joined(separator: " "))" }
  }

  private static let programs = ["bench", ".build/release/bench", "your-contender"]

  /// Every command in a page's code blocks.
  private static func commands(of page: Page) throws -> [[String]] {
    try page.blocks().flatMap { $0.split(separator: "\n") }.flatMap { ShellWords.commands(in: String($0)) }
  }

  static let lines: [Line] = Page.all.flatMap { page in
    let commands = (try? commands(of: page)) ?? []
    return commands.compactMap { words -> Line? in
      guard let index = words.firstIndex(where: programs.contains),
        index == 0 || words.starts(with: ["swift", "run"])
      else { return nil }
      return Line(page: page, program: words[index], arguments: Array(words[(index + 1)...]))
    }
  }

  @Test(arguments: lines)
  func `every documented command is understood`(line: Line) throws {
    let scratch = Scratch()
    try scratch.write("", to: "beach.jpg")
    let arguments = line.arguments.map {
      $0.replacing("~/Pictures/trip", with: scratch.folder.path).replacing("PORT", with: "8080")
        .replacing("$i", with: "1")
    }
    let known =
      line.program == "your-contender"
      ? ContenderList([contenders[0], Named("your-contender", [.publish])])
      : ContenderList(contenders, variants: variants, runtimes: runtimeContenders)
    try Self.parse(arguments, known)
  }

  private static func parse(_ arguments: [String], _ known: ContenderList) throws {
    let named = arguments.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    let command = try #require(Subcommand(rawValue: named ?? "run"), "there is no such command")
    let rest = named == nil ? arguments : Array(arguments.dropFirst())
    if rest.contains("--help") || arguments == ["--help"] { return }
    switch command {
    case .run: _ = try RunOptions(rest, known: known)
    case .load: _ = try LoadOptions(rest, known: known)
    case .runtimes: _ = try BenchmarksOptions(rest, known: known.benchmarks)
    case .doctor: _ = try DoctorOptions(rest, CheckSubjects(uploads: known))
    case .check:
      let options = try Options(CountersFile.completed(rest), known: command.options)
      _ = try CheckOutput(options)
      if options.has("--against") { _ = try AgainstOptions(options, CheckSubjects(uploads: known)) }
      if options.has("--counters") { _ = try CountersOptions(options, CheckSubjects(uploads: known)) }
    default:
      let options = try Options(rest, known: command.options, operands: command.operands)
      _ = try known.chosen(by: options)
      _ = try ScenarioOptions.patterns(options)
      _ = try options.duration("--budget")
      if command == .export {
        _ = try options.choice("--format", among: ExportFormat.allCases.map(\.rawValue))
      }
    }
  }

  /// Values may be names, as in `bench verify --endpoint URL`: only options are checked.
  @Test(arguments: Page.all)
  func `options in inline commands exist`(page: Page) throws {
    for words in try page.codeSpans().map({ $0.split(separator: " ").map(String.init) }) {
      guard Self.programs.contains(words[0]), words.count > 1 else { continue }
      let name = words[1].hasPrefix("-") ? "run" : words[1]
      guard let command = Subcommand(rawValue: name) else {
        Issue.record("\(page): `\(words.joined(separator: " "))` is no command")
        continue
      }
      for word in words where word.hasPrefix("--") && word != "--help" {
        #expect(command.options.map(\.name).contains(word), "\(page): \(words.joined(separator: " "))")
      }
    }
  }

  @Test(arguments: Page.all)
  func `options named in prose exist`(page: Page) throws {
    // Options of other programs.
    let foreign = ["--adapter", "--traits", "--filter"]
    let known = Set(Subcommand.allCases.flatMap(\.options).map(\.name) + foreign + ["--help", "--version"])
    let scripts = try Self.scripts()
    for span in try page.codeSpans() {
      let name = String(span.prefix { $0 != " " && $0 != "=" })
      guard name.prefixMatch(of: /--[a-z]/) != nil, !known.contains(name) else { continue }
      #expect(scripts.contains { $0.contains(name) }, "\(page): nothing takes \(name)")
    }
  }

  private static func scripts() throws -> [String] {
    let folder = Page.root.appendingPathComponent("Scripts")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files + [Page.root.appendingPathComponent("plots/command.py")])
      .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
  }

  @Test(arguments: Page.all)
  func `documented scripts exist, are executable, and know their options`(page: Page) throws {
    let spans = try page.codeSpans().map { $0.split(separator: " ").map(String.init) }
    for words in try Self.commands(of: page) + spans {
      let isPython = words[0] == "python3" && words.count > 1 && words[1] == "plot.py"
      guard isPython || words[0].prefixMatch(of: /Scripts\/[a-z]/) != nil else { continue }
      let file = Page.root.appendingPathComponent(isPython ? "plots/command.py" : words[0])
      let source = try String(contentsOf: file, encoding: .utf8)
      #expect(isPython || FileManager.default.isExecutableFile(atPath: file.path), "\(words[0])")
      for option in words where option.hasPrefix("--") {
        #expect(source.contains(option), "\(page): \(words.joined(separator: " "))")
      }
    }
  }

  @Test(arguments: Page.all)
  func `documented test filters and traits exist`(page: Page) throws {
    let manifest = try Page("Package.swift").text()
    let tests = Page.root.appendingPathComponent("Tests")
    let files =
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL } ?? []
    let suites = Set(files.map { $0.deletingPathExtension().lastPathComponent })
    let sources = try files.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    let spans = try page.codeSpans().map { $0.split(separator: " ").map(String.init) }
    for words in try Self.commands(of: page) + spans where words[0] == "swift" {
      for (option, value) in zip(words, words.dropFirst()) {
        switch option {
        case "--filter":
          // In a table a bar is escaped by a backslash.
          for name in value.filter({ !"'\\".contains($0) }).split(whereSeparator: { "|.".contains($0) }) {
            let isThere =
              suites.contains(String(name))
              || sources.contains { $0.contains("func \(name)") || $0.contains("struct \(name) ") }
            #expect(isThere, "\(page): no tests are called \(name)")
          }
        case "--traits":
          for trait in value.split(separator: ",") where !value.hasPrefix("$") && value != "Rivals" {
            #expect(manifest.contains("(\"\(trait)\", "), "\(page): no trait is called \(trait)")
          }
        default: continue
        }
      }
    }
  }

  /// Files of readers and of other tools.
  private static let absent = ["Your", "Its", "plot_whisker"]

  private static let folders = [
    "Sources", "Tests", "Scripts", "Documentation", "results", "Examples", ".github",
  ]

  /// Every file of this repository, by its path from the root.
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

  private static func anchor(of heading: Substring) -> String {
    heading.drop { $0 == "#" || $0 == " " }.lowercased()
      .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.replacing(" ", with: "-")
  }
}
