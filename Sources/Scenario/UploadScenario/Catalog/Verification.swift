extension Catalog {
  /// The requirements of a pattern, as scenarios that are checked but not timed.
  public static func verification(of pattern: Pattern, seed: UInt64) -> [Scenario] {
    Requirements(pattern: pattern, endpoint: nil, seed: seed).all
  }

  /// The requirements of a pattern that can be checked at the real server `endpoint`, as scenarios. No check depends on times.
  public static func verification(of pattern: Pattern, at endpoint: String, seed: UInt64) -> [Scenario] {
    Requirements(pattern: pattern, endpoint: endpoint, seed: seed).all
  }
}

/// The requirements of one pattern, at the real server `endpoint` or, without one, on simulated services.
private struct Requirements {
  let pattern: Pattern
  let endpoint: String?
  let seed: UInt64

  private var atServer: Bool { endpoint != nil }

  var all: [Scenario] {
    if pattern.looksUp { return lookups }
    if pattern.isChunked { return streams }
    if pattern.blocksThreads, !atServer { return blockingCalls }
    return switch pattern.requests {
    case .mirrors: races
    case .attempts: attempts
    case .urlThenUpload: uploads + (atServer ? [] : priorities)
    case .one: uploads
    }
  }

  private var uploads: [Scenario] {
    let limits: [Int?] = !pattern.takesLimit ? [nil] : atServer ? [nil, 3] : [nil, 1, 3, 1_000]
    return limits.flatMap { limit -> [Scenario] in
      let sized = sizes(largest: limit ?? 1_000 < 10 ? 200 : 1_000).map { whole($0, limit: limit) }
      let mixed = disturbed("failure-rate", limit) { $0.faults = Faults(failureRate: 0.3) }
      return sized + orders(limit) + failures(limit) + [mixed, cancelled(limit)]
    }
  }

  private var priorities: [Scenario] {
    [PostPriority.low, .high].map { priority in
      whole(17, suffix: "behind-100-priority-\(priority.rawValue)") {
        $0.behind = 100
        $0.priority = priority
      }
    }
  }

  private var lookups: [Scenario] {
    [whole(PostDetail.allCases.count)] + orders()
      + failures(at: atServer ? [1] : PostDetail.allCases.map(\.rawValue)) + (atServer ? [] : [cancelled()])
  }

  /// Scenarios with different capacities of the buffer, and with media files from no chunk to many.
  private var streams: [Scenario] {
    let shapes =
      atServer
      ? [(0, 0, 1), (17, 0, 1), (17, 2, 3), (100, 8, 4)]
      : sizes().flatMap { chunks in
        [(0, 1), (1, 3), (8, 4), (2_000, 2_000)].map { (chunks, $0.0, $0.1) }
      }
    return shapes.map { chunks, buffer, uploaders in
      whole(chunks, suffix: "buffer-\(buffer)-uploaders-\(uploaders)") {
        $0.bufferCapacity = buffer
        $0.uploaders = uploaders
      }
    } + orders() + failures() + (atServer ? [] : [cancelled()])
  }

  private var races: [Scenario] {
    let plain = (atServer ? [17] : sizes()).flatMap { fanOut in
      [(Duration.zero, "at-once"), (.seconds(3_600), "after-an-hour")].map { delay, suffix in
        whole(fanOut, suffix: suffix) { $0.hedgeDelay = delay }
      }
    }
    let mirrors = Mirror.allCases.map { mirror in
      disturbed("\(mirror)-fails") { $0.faults = Faults(failureRate: 1, mirror: mirror) }
    }
    let silent = disturbed("primary-is-silent") {
      $0.faults = Faults(failureRate: 1, kind: .silence, mirror: .primary)
    }
    let bothFail = disturbed("both-fail-at-9") { $0.faults.failAt = 9 }
    let hedged = (orders() + mirrors + (atServer ? [] : [silent]) + [bothFail]).map { scenario in
      var scenario = scenario
      scenario.hedgeDelay = .microseconds(200)
      return scenario
    }
    return plain + hedged + (atServer ? [] : [cancelled()])
  }

  private var attempts: [Scenario] {
    let failing = (atServer ? [(2, "twice")] : [(1, "1-times"), (2, "2-times"), (3, "3-times")]).map {
      (times: Int, name: String) in
      disturbed("fail-at-9-\(name)") {
        $0.faults = Faults(failAt: 9, kind: .transient, failingAttempts: times)
      }
    }
    return sizes().map { whole($0) } + orders() + failing
      + [disturbed("refused-at-9") { $0.faults.failAt = 9 }] + (atServer ? [] : lateAttempts) + [cancelled()]
  }

  private var lateAttempts: [Scenario] {
    [
      disturbed("failure-rate") {
        $0.retry.attempts = 20
        $0.faults = Faults(failureRate: 0.3, kind: .transient)
      },
      disturbed("silent-at-9-once") {
        $0.retry.attemptDeadline = .milliseconds(50)
        $0.faults = Faults(failAt: 9, kind: .silence, failingAttempts: 1)
      },
      disturbed("deadline") {
        $0.retry.deadline = .milliseconds(5)
        $0.faults = Faults(failAt: 9, kind: .silence)
      },
      disturbed("deadline-has-passed") { $0.retry.deadline = .zero },
      disturbed("cancel-backoff") {
        $0.retry.firstBackoff = .seconds(3_600)
        $0.retry.longestBackoff = .seconds(3_600)
        $0.faults = Faults(failureRate: 1, kind: .transient)
        $0.cancelAfter = .milliseconds(1)
      },
    ]
  }

  private var blockingCalls: [Scenario] {
    [nil, 1, 3, 1_000].flatMap { limit in
      sizes(largest: 200).map { whole($0, limit: limit) } + failures(limit) + [
        disturbed("shuffled", limit),
        disturbed("cancel", limit) {
          // Long enough that a thread that wakes late still cancels in time: several workers share the processors.
          $0.latency = .fixed(nanoseconds: 50_000_000)
          $0.cancelAfter = .milliseconds(1)
        },
      ]
    }
  }

  private func sizes(largest: Int = 1_000) -> [Int] { atServer ? [0, 1, 17, 100] : [0, 1, 2, 17, largest] }

  /// Scenarios with different orders of completion. A real server chooses its own order.
  private func orders(_ limit: Int? = nil) -> [Scenario] {
    atServer
      ? [] : CompletionOrder.allCases.map { order in disturbed(order.rawValue, limit) { $0.order = order } }
  }

  private func failures(_ limit: Int? = nil, at indices: [Int]? = nil) -> [Scenario] {
    (indices ?? (atServer ? [9] : [0, 9, 19])).map { index in
      disturbed("fail-at-\(index)", limit) { $0.faults.failAt = index }
    }
  }

  /// A scenario that is cancelled while all uploads are in flight. To keep a real server busy, its files are large.
  private func cancelled(_ limit: Int? = nil) -> Scenario {
    disturbed("cancel", limit) {
      if atServer { $0.payloadBytes = 4 << 20 } else { $0.latency = .fixed(nanoseconds: 60_000_000_000) }
      $0.cancelAfter = .milliseconds(1)
    }
  }

  private func whole(
    _ fanOut: Int, limit: Int? = nil, suffix: String? = nil, _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    made(atServer ? .http : .instant, fanOut, limit, suffix, change)
  }

  /// A scenario of about twenty short uploads with a fault, a cancellation or an order of completion.
  private func disturbed(
    _ suffix: String, _ limit: Int? = nil, _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    if atServer { return whole(pattern.looksUp ? 3 : 17, limit: limit, suffix: suffix, change) }
    return made(pattern.blocksThreads ? .blocking : .latency, 20, limit, suffix) {
      // The post of a lookup pattern has media files, too, to check that a contender does not upload them.
      if pattern.looksUp { ($0.photos, $0.videos) = (16, 4) }
      if pattern.isChunked { ($0.bufferCapacity, $0.uploaders) = (2, 3) }
      $0.latency = .logNormal(medianNanoseconds: 200_000, sigma: 0.5)
      change(&$0)
    }
  }

  private func made(
    _ service: ServiceKind, _ fanOut: Int, _ limit: Int?, _ suffix: String?,
    _ change: (inout Scenario) -> Void
  ) -> Scenario {
    Catalog.plain(pattern, service, fanOut, limit: limit, suffix: suffix.map { "-\($0)" } ?? "") {
      // Files are small, because up to a thousand of them are sent or prepared.
      if atServer || pattern.prepares { $0.payloadBytes = 1_024 }
      if pattern.isChunked { ($0.chunkBytes, $0.payloadBytes) = (64, 64 * fanOut) }
      $0.endpoint = endpoint
      change(&$0)
      $0.reseed(seed)
    }
  }
}
