import RuntimeOperations
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct HelpTests {
  private let known = ContenderList(
    [Named("a")], runtimes: [RuntimeContender(name: "r", summary: "", implementations: [:])])

  @Test(arguments: [80, 60])
  func `no line of help is wider than the terminal`(width: Int) {
    let texts =
      [Help.overview(known, width: width)] + Subcommand.shown.map { Help.text($0, width: width) }
    for line in texts.flatMap({ $0.split(separator: "\n") }) where !line.hasPrefix("usage:") {
      #expect(line.count <= width, "\(line)")
    }
  }

  @Test func `the first page of run has the common options, and says how to see the others`() {
    let shown = Help.groups(of: .run, isWhole: false).flatMap(\.options)
    let all = Help.groups(of: .run).flatMap(\.options)
    #expect(shown.count < all.count)
    #expect(Help.text(.run).contains("--help all` has \(all.count - shown.count) options more"))
    for option in all { #expect(Help.text(.run, isWhole: true).contains(option.name), "\(option.name)") }
  }

  @Test(arguments: [["explain"], ["manual"], ["run", "--watch"]])
  func `what was removed is refused with what replaces it`(arguments: [String]) {
    let error = #expect(throws: UsageError.self) {
      if arguments.count == 1 { _ = try Subcommand.named(arguments[0], among: known) }
      _ = try Options(Array(arguments.dropFirst()), known: RunOptions.options)
    }
    #expect(error?.description.contains("was removed: ") == true)
  }

  @Test func `every option is unique and stands under a heading`() {
    for command in Subcommand.shown {
      let groups = Help.groups(of: command)
      let names = command.options.map(\.name)
      #expect(Set(names).count == names.count, "\(command)")
      #expect(Set(groups.flatMap(\.options).map(\.name)) == Set(names), "\(command)")
      #expect(Set(groups.map(\.title)).count == groups.count)
    }
  }

  @Test func `the help explains the values that its options take`() {
    let note = "TIME: such as 500us, 20ms, 30s, 2m or 1h; a number alone is seconds."
    for command in [Subcommand.run, .load, .check, .verify, .doctor] {
      #expect(Help.notes(on: command).contains(note), "\(command)")
    }
    #expect(Help.notes(on: .list).isEmpty)
    #expect(
      Help.notes(on: .report) == ["RUN: the folder of a recorded run, such as results/latest."])
  }

  @Test(
    arguments: [
      (["help"], .fine), (["help", "run"], .fine), (["help", "help"], .fine), (["run", "--help"], .fine),
      (["--help"], .fine), (["help", "--help"], .fine), (["--version"], .fine),
      (["help", "runn"], .usage), (["help", "run", "load"], .usage), (["help", "--zebra"], .usage),
    ] as [([String], ExitCode)])
  func `help is a command and an option`(arguments: [String], code: ExitCode) {
    #expect(Bench.run(arguments, among: known) == code)
  }

  @Test func `an unknown command is refused with the nearest one`() {
    let error = #expect(throws: UsageError.self) { try HelpCommand.run(["chek"], among: known) }
    #expect(error?.description == "unknown command “chek”. Did you mean check?")
  }
}
