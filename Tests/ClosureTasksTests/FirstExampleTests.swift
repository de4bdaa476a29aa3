import ClosureTasks
import Dispatch
import RuntimeTestSupport
import Testing

/// The first example of the module's page: these lines are compiled and run, and the page has the same.
@Suite struct FirstExampleTests {
  @Test func `it does what the page says`() {
    let printed = Log<String>()
    let done = DispatchSemaphore(value: 0)
    let print = { @Sendable (result: Result<Int, any Error>) in
      printed.append("\(result)")
      done.signal()
    }
    // example: begin
    // The controller is answered once, from any thread, and says when nobody wants the answer any more.
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
    done.wait()
    #expect(printed.entries == ["success(15)"])
    #expect(run.isEnded)
  }

  @Test func `the page has the same lines`() throws {
    let example = try FirstExample(ofRuntime: "ClosureTasks", testFile: #filePath)
    #expect(!example.shown.isEmpty)
    #expect(example.compiled == example.shown)
  }
}
