import Futures
import TestSupport
import Testing

/// The first example of the module's page: these lines are compiled and run, and the page has the same.
@Suite(.ownThread) struct FirstExampleTests {
  @Test func `it does what the page says`() async throws {
    // example: begin
    // A callback becomes a future: the promise is answered once, and calls back if the future is cancelled.
    @Sendable func download(_ name: String) -> Future<Int> {
      let promise = Promise<Int>()
      let work = Task { promise.succeed(name.count) }
      promise.onCancel { work.cancel() }
      return promise.future
    }

    // Two at a time; the sizes keep the order of the names, and the first failure cancels the rest.
    let total = Future.all(["beach", "forest", "city"], limit: 2) { name in
      download(name).timeout(after: .seconds(300))
    }
    .map { sizes in sizes.reduce(0, +) }

    let size = try await total.value
    // example: end
    #expect(size == 15)
  }

  @Test func `the page has the same lines`() throws {
    let example = try FirstExample(ofRuntime: "Futures", testFile: #filePath)
    #expect(!example.shown.isEmpty)
    #expect(example.compiled == example.shown)
  }
}
