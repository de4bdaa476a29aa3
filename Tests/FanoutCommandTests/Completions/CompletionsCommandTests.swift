import Foundation
import RuntimeOperations
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CompletionsCommandTests {
  private static let known = ContenderList(
    [Named("callbacks"), Named("futures")], variants: [Named("futures/async-value")],
    runtimes: [RuntimeContender(name: "reference", summary: "", implementations: [:])])
  private static let table = CompletionTable(known, program: "bench")

  /// What stands on the line, and what comes next.
  private static let questions: [(line: String, offers: Set<String>)] = [
    ("bench ch", ["check"]),
    ("bench do", ["doctor"]),
    ("bench --con", ["--contenders"]),
    ("bench run --contenders ", ["callbacks", "futures", "futures/async-value"]),
    ("bench run --contenders callbacks,fu", ["futures", "futures/async-value"]),
    ("bench --contenders=futures,c", ["callbacks"]),
    ("bench load --patterns ra", ["race"]),
    ("bench run --scenario zip-l", ["zip-latency-3"]),
    ("bench run --order r", ["reverse"]),
    ("bench runtimes --contenders ", ["reference"]),
    ("bench runtimes --operations promise", ["promise-callback"]),
    ("bench run --quick --format h", ["hyperfine"]),
    ("bench export results/latest --format p", ["pyperf"]),
    ("bench check --inconclusive ", ["fail", "pass"]),
    ("bench completions ", ["bash", "zsh", "fish"]),
    ("bench help comp", ["compare", "completions"]),
    ("bench run --fan-out ", []),
    ("/somewhere/bench doctor --mea", ["--measure"]),
  ]

  @Test(arguments: Shell.installed)
  func `a shell offers what may come next`(shell: Shell) throws {
    let answers = try shell.offers(Self.questions.map(\.line), Self.table)
    #expect(answers.count == Self.questions.count)
    for (question, answer) in zip(Self.questions, answers) {
      #expect(answer == question.offers, "\(question.line)")
    }
  }

  @Test(arguments: Shell.installed)
  func `folders are offered where a run is expected`(shell: Shell) throws {
    let folder = try Scratch()
    try FileManager.default.createDirectory(
      atPath: folder.path("reference"), withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder.path("reference.txt")))
    let offers = try shell.offers(["bench compare \(folder.path("ref"))"], Self.table)
    let names = try #require(offers.first).map { $0.split(separator: "/" as Character).last.map(String.init) }
    #expect(names == ["reference"])
  }

  @Test func `hidden commands are not offered`() {
    #expect(Self.table.commands.map(\.name) == Subcommand.visible(Self.known).map(\.rawValue))
  }

  @Test(arguments: Shell.allCases)
  func `every option of every command is offered`(shell: Shell) {
    let script = shell.script(Self.table)
    for command in Self.table.commands {
      for option in Self.table.options(of: command) {
        let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
        #expect(script.contains(name), "\(command.name) \(option.name)")
      }
    }
  }

  @Test func `an unknown shell is refused`() {
    let error = #expect(throws: UsageError.self) { try CompletionsCommand.run(["fsh"], among: Self.known) }
    #expect(error?.description == "unknown shell “fsh”. Did you mean zsh?")
  }
}
