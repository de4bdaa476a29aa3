import UploadScenario

// Every limit on how long a worker, a post or an iteration may take.

/// How long the parent waits for a reply before it gives up the worker.
package struct WorkerTimeout: Sendable, Hashable {
  package var seconds: Int
  /// How much of that is there for a busy machine, and not for the work.
  package var spareSeconds: Int

  /// Less than usual if there is less time in all: a short budget is not spent on silence.
  func seconds(withinBudget budgetSeconds: Int) -> Int {
    max(seconds - spareSeconds, min(seconds, budgetSeconds))
  }
}

extension Workload {
  package var timeoutSecondsPerIteration: Double { 0.1 }
  /// How much of a timeout is there for a busy machine, and not for the work.
  static var spareTimeoutSeconds: Int { 30 }
}

extension Scenario {
  package var timeoutSeconds: Int {
    let nanoseconds = timeoutNanoseconds(idealNanoseconds: idealNanoseconds(for: syntheticPost))
    // The worker gives up a hung post by itself; the parent waits longer, in case the worker is the one that hangs.
    return 20 + 2 * Int(nanoseconds / 1_000_000_000)
  }

  /// How long a post may take before it counts as hung: far above anything that works.
  func timeoutNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    let perUpload: UInt64 = service.keepsBytes ? 1_000_000_000 : 1_000_000
    // The http service itself gives up sooner, and says why.
    let atLeast: UInt64 = service == .http ? 60_000_000_000 : 10_000_000_000
    return atLeast + 10 * (idealNanoseconds ?? 0) + perUpload * UInt64(fanOut + max(0, behind))
      + (cancelAfter?.unsignedNanoseconds ?? 0) + longestWaitNanoseconds
  }

  /// The longest that the scenario's own waits may take, or its work for the processor: no contender hangs meanwhile.
  var longestWaitNanoseconds: UInt64 {
    let wait: Duration =
      switch pattern.requests {
      case .urlThenUpload: .nanoseconds(10 * preparePasses) * ((fanOut + behind) * payloadBytes)
      case .mirrors: hedgeDelay
      case .attempts:
        retry.deadline ?? ((retry.attemptDeadline ?? .zero) + retry.longestBackoff) * retry.attempts
      case .one: .zero
      }
    // A year is as good as no limit, and fits.
    return min(wait, .seconds(31_536_000)).unsignedNanoseconds
  }
}

extension BenchmarkCase {
  /// A minute's work is measured, what hangs is given up.
  package var timeoutSeconds: Int { 90 + Self.spareTimeoutSeconds }
  /// The slowest runtimes need some ten microseconds a unit; who has a process to itself never takes longer than milliseconds.
  package var timeoutSecondsPerIteration: Double { ownsProcess ? 0 : Double(units) / 10_000 }
}

extension SampleRequest {
  /// Longer than the worker takes to give up the work.
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
  /// A little longer than the worker itself waits: the window, its drain, and the timeout of what was given up.
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
