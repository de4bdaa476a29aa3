import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct WatchTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(arguments: [
    (["--watch", "--quiet"], "--watch and --quiet exclude each other."),
    (["--watch", "--format", "json"], "--watch draws tables: leave out --format."),
    (["--watch", "--format", "pyperf"], "--watch draws tables: leave out --format."),
  ])
  func whatCannotBeWatchedIsRefused(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try RunOptions(arguments, known: known) }
    #expect(error?.description == message)
  }

  @Test func itIsOffUnlessAskedFor() throws {
    #expect(try RunOptions([], known: known).watches == false)
    #expect(try RunOptions(["--watch", "--format", "table"], known: known).watches)
  }

  @Test(.enabled(if: !Terminal.isOutputTerminal, "standard output is a terminal"))
  func aPipeIsNoTerminal() {
    let error = #expect(throws: UsageError.self) { try Watch.checkTerminal() }
    #expect(error?.description.hasPrefix("--watch needs a terminal on standard output") == true)
  }
}
