import ClosureTasks
import TestSupport
import Testing

/// The first example of the module's page: these lines are compiled and run, and the page has the same.
@Suite(.ownThread) struct FirstExampleTests {
  @Test func `it does what the page says`() async {
    // Awaited, not waited for: the work needs a thread of the pool that runs this test.
    let (printed, printing) = AsyncStream.makeStream(of: String.self)
    let print = { @Sendable (result: Result<Int, any Error>) in
      printing.yield("\(result)")
      printing.finish()
    }
    // example: begin
    // The controller is answered once, from any thread, and calls back if the run is cancelled.
    @Sendable func download(_ name: String) -> ClosureTask<Int> {
      ClosureTask { controller in
        let work = Task { controller.finish(with: name.count) }
        controller.onCancel { work.cancel() }
      }
    }

    // Two at a time; the sizes keep the order of the names, and the first failure cancels the rest.
    let total = ClosureTask.group(["beach", "forest", "city"], limit: 2) { name in
      download(name).timeout(after: .seconds(300)).retry(attempts: 3)
    }
    .map { sizes in sizes.reduce(0, +) }

    let run = total.perform { result in
      print(result)
    }
    // example: end
    #expect(await printed.reduce(into: []) { $0.append($1) } == ["success(15)"])
    #expect(run.isEnded)
  }

  @Test func `the page has the same lines`() throws {
    let example = try FirstExample(ofRuntime: "ClosureTasks", testFile: #filePath)
    #expect(!example.shown.isEmpty)
    #expect(example.compiled == example.shown)
  }
}
