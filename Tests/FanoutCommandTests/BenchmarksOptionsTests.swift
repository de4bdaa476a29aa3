import RuntimeOperations
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct BenchmarksOptionsTests {
  private let known = BenchmarkTable([
    RuntimeContender(
      name: "reference", summary: "", implementations: [.zip3: { $0 }, .merge: { $0 }, .mapChain: { $0 }]),
    RuntimeContender(name: "streams", summary: "", implementations: [.zip3: { $0 }, .merge: { $0 }]),
    RuntimeContender(name: "futures", summary: "", implementations: [.mapChain: { $0 }]),
  ])

  private func options(_ arguments: String...) throws -> BenchmarksOptions {
    try BenchmarksOptions(arguments, known: known)
  }

  private func message(_ arguments: String...) -> String {
    do {
      _ = try BenchmarksOptions(arguments, known: known)
      return "no error"
    } catch { return "\(error)" }
  }

  @Test func `every operation with an implementation is measured by default`() throws {
    let options = try options()
    #expect(options.cases.map(\.name) == ["map-chain-1000", "zip3", "merge-100x1000"])
    #expect(options.participants["zip3"] == ["reference", "streams"])
    #expect(options.participants["map-chain-1000"] == ["reference", "futures"])
  }

  @Test func `an operation that needs gigabytes is measured only if it is named`() throws {
    let known = BenchmarkTable(
      ["reference", "coroutines"].map {
        RuntimeContender(
          name: $0, summary: "", implementations: [.suspended: { $0 }, .suspendedMillion: { $0 }])
      })
    #expect(try BenchmarksOptions([], known: known).cases.map(\.name) == ["suspended-100000"])
    #expect(
      try BenchmarksOptions(["--operations", "suspended-1000000"], known: known).cases.map(\.name)
        == ["suspended-1000000"])
  }

  @Test func `the reference is always measured`() throws {
    let options = try options("--contenders", "futures")
    #expect(options.contenders == ["reference", "futures"])
    #expect(options.cases.map(\.name) == ["map-chain-1000"])
  }

  @Test func `only the named operations are measured`() throws {
    let options = try options("--operations", "zip3")
    #expect(options.cases.map(\.name) == ["zip3"])
    #expect(options.contenders == ["reference", "streams"])
  }

  @Test func `an unknown name is refused with the nearest one`() {
    #expect(message("--operations", "zip4").contains("zip3"))
    #expect(message("--contenders", "stream").contains("streams"))
  }

  @Test func `operations without an implementation are refused`() {
    #expect(
      message("--operations", "zip3", "--contenders", "futures")
        == "futures implements none of: zip3. `\(CommandName.current) list` shows who implements what.")
  }
}
