import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ShellWordsTests {
  @Test(arguments: [
    ("bench list    # what there is", [["bench", "list"]]),
    ("bench run --contenders 'a*' --quiet", [["bench", "run", "--contenders", "a*", "--quiet"]]),
    ("eval \"$(bench completions zsh)\"   # or", [["eval", "$"], ["bench", "completions", "zsh"]]),
    ("bench manual > b.1 && man -l b.1", [["bench", "manual"], ["b.1"], ["man", "-l", "b.1"]]),
    ("", []),
  ])
  func `a line is split into its commands`(line: String, commands: [[String]]) {
    #expect(ShellWords.commands(in: line) == commands)
  }
}
