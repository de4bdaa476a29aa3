import Foundation
import ReactiveStreams
import Testing

/// The first example of the module's page: these lines are compiled and run, and the page has the same.
@Suite("First example")
struct FirstExampleTests {
  @Test func `it says what the page says it does`() async throws {
    // example: begin
    let queue = DispatchQueue(label: "lengths")

    // Each name becomes a call that answers through a callback; two run at a time, answers keep the order.
    let lines = ["beach", "forest", "city"].publisher
      .concatMapEager(maxPublishers: .max(2)) { name in
        FromCallback<Int, Never, Void> { resolver in
          queue.async { resolver.succeed(name.count) }
        }
      }
      .zip((1...).publisher)
      .map { length, number in "\(number): \(length) letters" }
      .collect()

    let report = try await lines.value
    // example: end
    #expect(report == ["1: 5 letters", "2: 6 letters", "3: 4 letters"])
  }

  @Test func `the page has the same lines`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let page = tests.appending(
      path: "../../Sources/Runtimes/ReactiveStreams/ReactiveStreams.docc/ReactiveStreams.md")
    let shown = try lines(of: page, from: "```swift", to: "```")
    let compiled = try lines(
      of: URL(filePath: #filePath), from: "    // example: begin", to: "    // example: end")
    #expect(!shown.isEmpty)
    #expect(compiled == shown.map { $0.isEmpty ? "" : "    " + $0 })
  }

  /// The lines between the first that is `start` and the next that is `end`.
  private func lines(of file: URL, from start: String, to end: String) throws -> [String] {
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let rest = lines.drop { $0 != start }.dropFirst()
    return Array(rest.prefix { $0 != end })
  }
}
