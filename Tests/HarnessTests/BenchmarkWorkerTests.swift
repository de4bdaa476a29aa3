@testable import Harness
import Results
import TestSupport
import Testing

private struct Counting: Workload {
  var name = "counting"
  var answer = 7
  var fanOut: Int { 10 }
  func describe(_ sample: inout Sample) {}
  var timeoutSeconds: Int { 1 }
}

private struct Refusal: Error {}

@Suite(.ownThread) struct BenchmarkWorkerTests {
  /// A worker whose performances answer one after another what is listed, and the expected answer after that.
  private func worker(_ results: [Result<Int, Refusal>], calls: Counter) -> BenchmarkWorker<Counting> {
    BenchmarkWorker(clock: FakeClock().clock) { work in
      BenchmarkBody(answer: work.answer) {
        defer { calls.count += 1 }
        return calls.count < results.count ? try results[calls.count].get() : work.answer
      }
    }
  }

  private final class Counter { var count = 0 }

  private func reply(_ results: Result<Int, Refusal>..., purpose: SamplePurpose = .time) throws -> (
    reply: SampleReply, calls: Int
  ) {
    let calls = Counter()
    let request = SampleRequest(scenario: Counting(), iterations: 3, purpose: purpose)
    return (try worker(results, calls: calls).run(request), calls.count)
  }

  @Test func `the work runs once to warm up, then as often as requested`() throws {
    let (reply, calls) = try reply()
    #expect(reply.outcome == .measured)
    // Once more than asked: the first is the warm-up.
    #expect(calls == 4)
    #expect(reply.wallNanoseconds > 0)
    #expect(reply.uploads == nil)
  }

  /// Reading the clocks takes some 600 ns of a processor, ten times what a benchmark of a logger does between two of them.
  @Test func `the time of clock readings is subtracted from short parts`() throws {
    let clock = FakeClock(step: 10).clock
    let worker = BenchmarkWorker<Counting>(clock: clock) { _ in
      BenchmarkBody { iterations, meter in
        for _ in 0..<iterations {
          meter.start()
          _ = clock.nanoseconds()
          meter.stop()
        }
        return nil
      }
    }
    let reply = try worker.run(SampleRequest(scenario: Counting(), iterations: 2_000))
    #expect(reply.wallNanoseconds == 20_000)
  }

  @Test func `a wrong answer ends the sample as wrong`() throws {
    let (reply, calls) = try reply(.success(7), .success(8))
    #expect(reply.outcome == .wrong)
    #expect(reply.reason == "answered 8, expected 7")
    #expect(calls == 2)
  }

  @Test func `a thrown error fails the sample`() throws {
    let (reply, _) = try reply(.failure(Refusal()))
    #expect(reply.outcome == .failed)
    #expect(reply.reason == "ended with an error: Refusal()")
  }

  @Test func `a wrong answer in a counting pass is wrong, too`() async {
    // In a process of its own, as every test that counts.
    await #expect(processExitsWith: .success) {
      let (reply, _) = try BenchmarkWorkerTests().reply(
        .success(7), .success(7), .success(7), .success(7), .success(1), purpose: .profile)
      #expect(reply.outcome == .wrong)
    }
  }
}
