import UploadScenario

/// The time that the parent waits for a reply. After this time, the parent kills the worker.
package struct WorkerTimeout: Sendable, Hashable {
  package var seconds: Int
  /// The part of `seconds` that is added in case the machine is busy.
  package var spareSeconds: Int

  /// The timeout in seconds. A short budget shortens the part for a busy machine.
  func seconds(withinBudget budgetSeconds: Int) -> Int {
    max(seconds - spareSeconds, min(seconds, budgetSeconds))
  }
}

extension Workload {
  package var timeoutSecondsPerIteration: Double { 0.1 }
  /// The part of a timeout for a busy machine, in seconds.
  static var spareTimeoutSeconds: Int { 30 }
}

extension Scenario {
  package var timeoutSeconds: Int {
    let nanoseconds = timeoutNanoseconds(idealNanoseconds: idealNanoseconds(for: syntheticPost))
    // The worker itself ends the wait for a hung post. The parent waits longer, in case the worker itself hangs.
    return 20 + 2 * Int(nanoseconds / 1_000_000_000)
  }

  /// The duration after which a post counts as hung. It is far longer than any working contender takes.
  func timeoutNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    let perUpload: UInt64 = service.keepsBytes ? 1_000_000_000 : 1_000_000
    // The http service itself ends such a post sooner, with a reason.
    let atLeast: UInt64 = service == .http ? 60_000_000_000 : 10_000_000_000
    return atLeast + 10 * (idealNanoseconds ?? 0) + perUpload * UInt64(fanOut + max(0, behind))
      + (cancelAfter?.unsignedNanoseconds ?? 0) + longestWaitNanoseconds
  }

  /// The longest time that the scenario requires for waiting and computing. A contender that takes this time does not hang.
  var longestWaitNanoseconds: UInt64 {
    let wait: Duration =
      switch pattern.requests {
      case .urlThenUpload: .nanoseconds(10 * preparePasses) * ((fanOut + behind) * payloadBytes)
      case .mirrors: hedgeDelay
      case .attempts:
        retry.deadline ?? ((retry.attemptDeadline ?? .zero) + retry.longestBackoff) * retry.attempts
      case .one: .zero
      }
    // A limit of one year is practically no limit, and does not overflow.
    return min(wait, .seconds(31_536_000)).unsignedNanoseconds
  }
}

extension BenchmarkCase {
  package var timeoutSeconds: Int { 90 + Self.spareTimeoutSeconds }
  /// The slowest runtimes need about 10 µs per unit. A benchmark with its own process limits its samples by itself.
  package var timeoutSecondsPerIteration: Double { ownsProcess ? 0 : Double(units) / 10_000 }
}

extension SampleRequest {
  /// The timeout of a sample. The parent's is longer than the worker's own.
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
  /// The timeout of a window, longer than the worker's own. It covers the window, the end of its posts, and their cancellation.
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
