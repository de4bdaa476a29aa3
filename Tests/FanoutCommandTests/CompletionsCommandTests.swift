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
    ("bench ch", ["check"]), ("bench do", ["doctor"]), ("bench --con", ["--contenders"]),
    ("bench run --contenders ", ["callbacks", "futures", "futures/async-value"]),
    ("bench run --contenders callbacks,fu", ["futures", "futures/async-value"]),
    ("bench --contenders=futures,c", ["callbacks"]), ("bench load --patterns ra", ["race"]),
    ("bench run --scenario zip-l", ["zip-latency-3"]), ("bench run --order r", ["reverse"]),
    ("bench runtimes --contenders ", ["reference"]),
    ("bench runtimes --operations promise", ["promise-callback"]),
    ("bench run --quick --format h", ["hyperfine"]), ("bench export results/latest --format p", ["pyperf"]),
    ("bench check --inconclusive ", ["fail", "pass"]), ("bench completions ", ["bash", "zsh", "fish"]),
    ("bench help comp", ["compare", "completions"]), ("bench run --fan-out ", []),
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

/// A shell that is asked what it would offer at the end of a command line.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  static let installed = allCases.filter { Program.runs([$0.rawValue, "-c", "exit"]) }

  func script(_ table: CompletionTable) -> String {
    switch self {
    case .bash: BashCompletions.text(table)
    case .zsh: ZshCompletions.text(table)
    case .fish: FishCompletions.text(table)
    }
  }

  /// The words that it offers at the end of each line, without what stands before them in the same word.
  func offers(_ lines: [String], _ table: CompletionTable) throws -> [Set<String>] {
    let folder = try Scratch()
    let (script, questions) = (folder.path("script"), folder.path("questions"))
    try Data(self.script(table).utf8).write(to: URL(fileURLWithPath: script))
    let text = ([preparation(script)] + lines.map { "echo '== question'\n" + question($0) })
    try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: questions))
    let (status, output) = try Program.run([rawValue] + (self == .fish ? ["--no-config"] : []) + [questions])
    #expect(status == 0, "\(output)")
    return output.split(separator: "== question\n", omittingEmptySubsequences: false).dropFirst().map {
      answer in Set(offered(String(answer)).map { $0.replacing(/^.*[,=]/, with: "") })
    }
  }

  private func preparation(_ script: String) -> String {
    switch self {
    case .bash, .fish: "source '\(script)'"
    case .zsh:
      // Completions work while a line is edited, so it edits one in a terminal of its own. What would be added is printed.
      """
      zmodload zsh/zpty
      zpty -b asked zsh -f -i
      zpty -w asked "PS1=; autoload -Uz compinit; compinit -u -D; source '\(script)'
      compadd() {
        local -a offered
        if (( \\${@[(I)-*(O|A|D)]} )); then builtin compadd \\"\\$@\\"; return; fi
        builtin compadd -A offered \\"\\$@\\"
        (( \\$#offered )) && print -rl -- '<'\\$^offered'>'
        builtin compadd \\"\\$@\\"
      }
      asked() { _main_complete; compstate[insert]=; compstate[list]=; print -r THE''END }
      zle -C ask complete-word asked
      bindkey '^T' ask
      print READY\\$((1+1))"
      zpty -r -m asked out '*READY2*'
      """
    }
  }

  private func question(_ line: String) -> String {
    switch self {
    case .bash:
      // As bash itself takes it apart.
      let words = line.replacing("=", with: " = ").split(separator: " ", omittingEmptySubsequences: false)
      return """
        COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
        _bench
        printf '<%s>\\n' "${COMPREPLY[@]}"
        """
    case .fish: return "complete -C '\(line)'"
    case .zsh:
      // Control-U empties the line for the next question.
      return """
        zpty -w -n asked '\(line)'$'\\C-T'
        zpty -r -m asked out '*THEEND*'
        print -r -- "$out"
        zpty -w -n asked $'\\C-U'
        """
    }
  }

  private func offered(_ output: String) -> [String] {
    switch self {
    case .bash, .zsh: output.matches(of: /<([^<>]+)>/).map { String($0.1) }
    case .fish: output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
    }
  }
}
