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
