import Results
import UploadScenario

extension Scenario: Workload {
  package static var iterationName: String { "post" }
  package static var timesEachIteration: Bool { true }

  /// Without its places: the same files may lie elsewhere on another machine.
  package var definition: [String: String] {
    var scenario = self
    scenario.mediaDirectory = nil
    scenario.storeDirectory = nil
    scenario.endpoint = nil
    return (try? Definition.leaves(of: scenario)) ?? [:]
  }

  package var columns: WorkloadColumns {
    WorkloadColumns(
      pattern: pattern.rawValue, service: service.rawValue, fanOut: fanOut, inFlightLimit: limit,
      payloadBytes: payloadBytes)
  }

  /// What a post is started behind takes far longer than the post.
  package var mostIterations: Int { behind > 0 ? 1 : 1_000 }

  /// The first of posts that overlap start from threads that sleep, and the last have fewer beside them: so many that these are
  /// few.
  package var leastIterations: Int { overlap.map { 8 * $0 } ?? 1 }

  package var timeoutSeconds: Int {
    let post = Post.synthetic(photos: photos, videos: videos, payloadBytes: payloadBytes, seed: seed)
    let nanoseconds = timeoutNanoseconds(idealNanoseconds: idealNanoseconds(for: post))
    // The worker gives up a hung post by itself; the parent waits longer, in case the worker is the one that hangs.
    return 20 + 2 * Int(nanoseconds / 1_000_000_000)
  }
}

extension Scenario {
  /// How long a post may take before it counts as hung: far above anything that works.
  func timeoutNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    let perUpload: UInt64 = service.keepsBytes ? 1_000_000_000 : 1_000_000
    // The http service itself gives up sooner, and says why.
    let atLeast: UInt64 = service == .http ? 60_000_000_000 : 10_000_000_000
    return atLeast + 10 * (idealNanoseconds ?? 0) + perUpload * UInt64(fanOut + max(0, behind))
      + (cancelAfter?.unsignedNanoseconds ?? 0) + longestWaitNanoseconds
  }

  /// The same with one upload that nothing disturbs; nil where it has no such form.
  var ofOneUpload: Scenario? {
    guard mediaDirectory == nil, !pattern.looksUp else { return nil }
    var small = self
    (small.photos, small.videos) = (1, 0)
    if pattern.isChunked { small.payloadBytes = chunkBytes }
    small.faults = Faults()
    small.behind = 0
    small.cancelAfter = nil
    return small
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

extension Contender {
  /// Itself, in the context that the scenario wants.
  func placed(in scenario: Scenario) throws -> any Contender {
    guard let context = scenario.context else { return self }
    guard let placed = on(context) else {
      throw InvalidScenario(reason: "\(name) has no spelling with completions \(context.summary)")
    }
    return placed
  }
}
