import Dispatch
import ReactiveStreams
import TestSupport
import Testing

/// The first example of the module's page: these lines are compiled and run, and the page has the same.
@Suite("First example", .ownThread) struct FirstExampleTests {
  @Test func `it says what the page says it does`() async throws {
    // example: begin
    let queue = DispatchQueue(label: "lengths")

    // Each name becomes a call that answers through a callback; two run at a time, and answers keep the order.
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
    let example = try FirstExample(ofRuntime: "ReactiveStreams", testFile: #filePath)
    #expect(!example.shown.isEmpty)
    #expect(example.compiled == example.shown)
  }
}
