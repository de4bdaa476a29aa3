import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand
@testable import Benchmarking
@testable import Harness

/// Worker processes of a suite whose bodies do more than compute.
@Suite(.ownThread(minutes: 5), .serialized) struct OddBenchmarksTests {
  private static let executable =
    (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
    .deletingLastPathComponent().appendingPathComponent("odd-benchmarks")

  private func outcome(_ name: String) throws -> String {
    let worker = try WorkerProcess<SampleRequest<BenchmarkCase>>(
      executable: Self.executable, arguments: ["worker", BenchmarkTable.workerOption, "suite"],
      isInterrupted: { false })
    defer { worker.stop() }
    let request = SampleRequest(scenario: BenchmarkCase(name: name, group: name), iterations: 10)
    do {
      // Twice: the first may have taken away what the second needs.
      _ = try worker.run(request, timeout: WorkerTimeout(seconds: 20, spareSeconds: 0))
      let reply = try worker.run(request, timeout: WorkerTimeout(seconds: 20, spareSeconds: 0))
      return reply.reason ?? reply.outcome.rawValue
    } catch { return error.description }
  }

  @Test(arguments: ["reads", "prints", "main-actor", "main-queue", "of-the-main-actor", "goes-away"])
  func `a body that changes its process is measured`(name: String) throws {
    #expect(try outcome(name) == "measured")
  }

  @Test func `a body that fails or exits is reported`() throws {
    #expect(try outcome("throws") == "ended with an error: Refusal()")
    #expect(try outcome("exits") == "its worker died: exit status 0")
  }
}
