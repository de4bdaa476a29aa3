import UploadScenario

/// How long the parent waits for a reply before it kills the worker.
package struct WorkerTimeout: Sendable, Hashable {
  package var seconds: Int
  /// How many of the `seconds` are a reserve for a busy machine.
  package var spareSeconds: Int

  /// The timeout in a run with a time budget: `seconds`, but a short budget shortens it by at most `spareSeconds`.
  func seconds(withinBudget budgetSeconds: Int) -> Int {
    max(seconds - spareSeconds, min(seconds, budgetSeconds))
  }
}

extension Workload {
  package var timeoutSecondsPerIteration: Double { 0.1 }
  static var spareTimeoutSeconds: Int { 30 }
}

extension Scenario {
  package var timeoutSeconds: Int {
    let nanoseconds = timeoutNanoseconds(idealNanoseconds: idealNanoseconds(for: syntheticPost))
    // The parent process waits longer than the worker, in case the worker itself hangs.
    return 20 + 2 * Int(nanoseconds / 1_000_000_000)
  }

  /// The duration after which a post (a job of uploads) counts as hung: far longer than any working contender takes.
  func timeoutNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    let perUpload: UInt64 = service.keepsBytes ? 1_000_000_000 : 1_000_000
    // An HTTP request has a shorter timeout of its own, after which it fails with a reason.
    let atLeast: UInt64 = service == .http ? 60_000_000_000 : 10_000_000_000
    return atLeast + 10 * (idealNanoseconds ?? 0) + perUpload * UInt64(fanOut + max(0, behind))
      + (cancelAfter?.unsignedNanoseconds ?? 0) + longestWaitNanoseconds
  }

  /// The longest time that the scenario requires for waiting and computing.
  var longestWaitNanoseconds: UInt64 {
    let wait: Duration =
      switch pattern.requests {
      case .urlThenUpload: .nanoseconds(10 * preparePasses) * ((fanOut + behind) * payloadBytes)
      case .mirrors: hedgeDelay
      case .attempts:
        retry.deadline ?? ((retry.attemptDeadline ?? .zero) + retry.longestBackoff) * retry.attempts
      case .one: .zero
      }
    // A limit of a year keeps sums from overflowing.
    return min(wait, .seconds(31_536_000)).unsignedNanoseconds
  }
}

extension BenchmarkCase {
  package var timeoutSeconds: Int { 90 + Self.spareTimeoutSeconds }
  /// Allows 100 µs for each unit, ten times what the slowest runtimes need. A benchmark with its own process limits itself.
  package var timeoutSecondsPerIteration: Double { ownsProcess ? 0 : Double(units) / 10_000 }
}

extension SampleRequest {
  package func timeout(workSeconds: @autoclosure () -> Int) -> WorkerTimeout {
    guard let timeout = timeoutNanoseconds else {
      return WorkerTimeout(
        seconds: workSeconds() + Int(Double(iterations) * scenario.timeoutSecondsPerIteration),
        spareSeconds: Work.spareTimeoutSeconds)
    }
    return WorkerTimeout(
      seconds: 20 + purpose.repetitions * Int(timeout * purpose.slowness / 1_000_000_000)
        + Int(Double(iterations) * scenario.timeoutSecondsPerIteration),
      spareSeconds: 20)
  }
}

extension LoadRequest {
  /// How long the parent process waits for a window of load, the end of its posts, and their cancellation.
  package func timeout(workSeconds: @autoclosure () -> Int) -> WorkerTimeout {
    WorkerTimeout(
      seconds: 3 * Int(windowNanoseconds / 1_000_000_000) + workSeconds(),
      spareSeconds: Scenario.spareTimeoutSeconds)
  }
}

extension TraceRequest {
  package func timeout(workSeconds: @autoclosure () -> Int) -> WorkerTimeout {
    WorkerTimeout(
      seconds: 2 * workSeconds() + Int(nanoseconds / 1_000_000_000),
      spareSeconds: Scenario.spareTimeoutSeconds)
  }
}
