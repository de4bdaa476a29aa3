import Coroutines
import Dispatch
import Foundation
import TestSupport
import Testing

/// The example of channels on the module's page, word for word.
@Suite(.ownThread) struct ChannelExampleTests {
  @Test func `it runs as the page says`() async throws {
    // example
    let numbers = CoChannel<Int>(capacity: 2)
    DispatchQueue.global().startCoroutine {
      // Waits while two are not taken yet.
      for number in 1...6 { try numbers.awaitSend(number) }
      numbers.close()
    }
    let squares = CoChannel<Int>()
    for _ in 1...2 {
      DispatchQueue.global().startCoroutine {
        // Each number goes to one of the two.
        for number in numbers { try squares.awaitSend(number * number) }
      }
    }
    let collector = CoFuture {
      var sum = 0
      for _ in 1...6 { sum += try squares.awaitReceive() }
      return sum
    }
    let sum = try await collector.value  // 91
    // end of example
    #expect(sum == 91)
  }

  @Test func `the page shows the same lines`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let page = try String(
      contentsOf: root.appending(path: "Sources/Runtimes/Coroutines/Coroutines.docc/Coroutines.md"),
      encoding: .utf8)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let run = try #require(
      source.components(separatedBy: "// example\n").dropFirst().first?.components(
        separatedBy: "    // end of example"
      ).first)
    let lines = run.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(4) }
    #expect(page.contains("```swift\n" + lines.joined(separator: "\n") + "```\n"))
  }
}
