import Foundation
import RuntimeOperations
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CompletionsCommandTests {
  private static let known = ContenderList(
    [Named("callbacks"), Named("futures")], variants: [Named("futures/async-value")],
    runtimes: [RuntimeContender(name: "reference", summary: "", implementations: [:])])
  private typealias Question = (line: String, offers: Set<String>)

  private static let questions: [Question] = [
    ("ch", ["check"]), ("do", ["doctor"]), ("--con", ["--contenders"]),
    ("run --contenders ", ["callbacks", "futures", "futures/async-value"]),
    ("run --contenders callbacks,fu", ["callbacks,futures", "callbacks,futures/async-value"]),
    ("--contenders=futures,c", ["--contenders=futures,callbacks"]),
    // As bash splits it.
    ("--contenders = futures,c", ["futures,callbacks"]), ("load --patterns ra", ["race"]),
    ("run --scenario zip-l", ["zip-latency-3"]), ("run --order r", ["reverse"]),
    ("runtimes --contenders ", ["reference"]), ("runtimes --operations promise", ["promise-callback"]),
    ("run --quick --format h", ["hyperfine"]), ("export results/latest --format p", ["pyperf"]),
    ("check --inconclusive ", ["fail", "pass"]), ("completions ", ["bash", "zsh", "fish"]),
    ("help comp", ["compare", "completions"]), ("run --fan-out ", []), ("doctor --mea", ["--measure"]),
  ]

  @Test(arguments: questions)
  func `what may come next is offered`(line: String, offers: Set<String>) {
    guard case .words(let words, _) = next(line) else { return #expect(Bool(false), "no words") }
    #expect(Set(words.map(\.text)) == offers)
  }

  private func next(_ line: String) -> Completions.Next {
    Completions(Self.known).next(
      after: line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
  }

  @Test func `folders are offered where a run is expected, and files where one is`() {
    for line in ["compare ", "compare a ", "report results/l", "check --baseline "] {
      guard case .folders = next(line) else { return #expect(Bool(false), "\(line)") }
    }
    guard case .files = next("check --record ") else { return #expect(Bool(false)) }
  }

  @Test func `every option of every command is offered, and no hidden command`() {
    for command in Subcommand.visible(Self.known) {
      guard case .words(let words, _) = next("\(command.name) --") else { return #expect(Bool(false)) }
      #expect(words.map(\.text) == command.options.map(\.name) + ["--help"])
    }
    guard case .words(let words, _) = next("") else { return #expect(Bool(false)) }
    #expect(words.map(\.text) == Subcommand.visible(Self.known).map(\.name))
  }

  @Test(.enabled(if: !isUnderSanitizer), arguments: Shell.installed)
  func `a shell offers what the command says`(shell: Shell) throws {
    let folder = Scratch()
    for name in ["reference", "results"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    try folder.write("", to: "reference.txt")
    let questions: [Question] = [
      ("do", ["doctor"]), ("run --order r", ["reverse"]), ("run --patterns race,zip-", ["zip-serial"]),
      ("--order=r", ["reverse"]), ("check --inconclusive ", ["fail", "pass"]), ("run --fan-out ", []),
      ("compare \(folder.path("ref"))", ["reference"]),
    ]
    let answers = try shell.offers(questions.map(\.line))
    #expect(answers.count == questions.count)
    for (question, answer) in zip(questions, answers) {
      #expect(answer == question.offers, "\(question.line)")
    }
  }

  @Test(arguments: ["fsh", "tcsh"])
  func `an unknown shell is refused with those that are known`(name: String) {
    let error = #expect(throws: UsageError.self) { try CompletionsCommand.run([name], among: Self.known) }
    #expect(error?.description == "unknown shell “\(name)”. Known: bash, zsh, fish.")
  }
}

/// A shell, and what it offers at the end of a command line.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  static let installed = allCases.filter { Program.runs([$0.rawValue, "-c", "exit"]) }

  private static let program = CheatRunTests.executable.path

  /// The words offered at the end of each line, without the text before them in the same word.
  func offers(_ lines: [String]) throws -> [Set<String>] {
    let folder = Scratch()
    let script = try folder.write(
      CompletionsCommand.Shell(rawValue: rawValue)!.script("cheats"), to: "script")
    let typed =
      [preparation(script)] + lines.map { "echo '== question'\n" + question("\(Self.program) \($0)") }
    let questions = try folder.write(typed.joined(separator: "\n") + "\n", to: "questions")
    let (status, output) = try Program.run([rawValue] + (self == .fish ? ["--no-config"] : []) + [questions])
    #expect(status == 0, "\(output)")
    return output.split(separator: "== question\n", omittingEmptySubsequences: false).dropFirst().map {
      answer in
      Set(
        offered(String(answer)).map {
          $0.replacing(/^.*[,=]/, with: "").replacing(/\/$/, with: "").replacing(/^.*\//, with: "")
        })
    }
  }

  private func preparation(_ script: String) -> String {
    switch self {
    case .bash, .fish: "source '\(script)'"
    case .zsh:
      // zsh completes only while a line is edited: it edits one in a terminal of its own, and prints the offers.
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
      // As bash splits it.
      let words = line.replacing("=", with: " = ").split(separator: " ", omittingEmptySubsequences: false)
      return """
        COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
        _cheats
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
