import Coroutines
import Dispatch
import Foundation
import TestSupport
import Testing

/// The first example of the module's page, word for word.
@Suite(.ownThread) struct FirstExampleTests {
  @Test func `it runs as the page says`() async throws {
    // example
    let greeting = DispatchQueue.global().coroutineFuture {
      // Looks serial; no thread waits.
      let name = try Coroutine.await { callback in
        DispatchQueue.global().async { callback("world") }
      }
      let lengths = try CoGroup.run { group in
        try group.map(["hello", name]) { word in
          try DispatchQueue.global().await { word.count }
        }
      }
      return "hello, \(name): \(lengths)"
    }
    let text = try await greeting.value  // "hello, world: [5, 5]"
    // end of example
    #expect(text == "hello, world: [5, 5]")
  }

  @Test func `the page shows the same lines`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    let page = try String(
      contentsOf: root.appending(path: "Sources/Runtimes/Coroutines/Coroutines.docc/Coroutines.md"),
      encoding: .utf8)
    let shown = try #require(
      page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let run = try #require(
      source.components(separatedBy: "// example\n").dropFirst().first?.components(
        separatedBy: "    // end of example"
      ).first)
    let lines = run.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(4) }
    #expect(lines.joined(separator: "\n") == shown)
  }
}
