extension Catalog {
  /// Every requirement of one pattern as scenarios that are checked, not timed.
  public static func verification(of pattern: Pattern, seed: UInt64) -> [Scenario] {
    checks(of: pattern).map { scenario in
      var scenario = scenario
      scenario.reseed(seed)
      // A thousand media are digested, pass by pass.
      if pattern.prepares { scenario.payloadBytes = 1_024 }
      return scenario
    }
  }

  private static func checks(of pattern: Pattern) -> [Scenario] {
    if pattern.looksUp { return lookups(pattern) }
    if pattern.isChunked { return streams }
    if pattern.blocksThreads { return blockingCalls }
    return switch pattern.requests {
    case .mirrors: races
    case .attempts: attempts
    case .urlThenUpload: uploads(pattern) + priorities
    case .one: uploads(pattern)
    }
  }

  private static func uploads(_ pattern: Pattern) -> [Scenario] {
    let limits: [Int?] = pattern.isSerial ? [nil] : [nil, 1, 3, 1_000]
    var scenarios: [Scenario] = []
    for limit in limits {
      for fanOut in [0, 1, 2, 17, limit ?? 1_000 < 10 ? 200 : 1_000] {
        scenarios.append(plain(pattern, .instant, fanOut, limit: limit))
      }
      scenarios += orders(of: pattern, limit: limit) + failures(of: pattern, at: [0, 9, 19], limit: limit)
      scenarios += [
        quick(pattern, limit: limit, suffix: "failure-rate") { $0.faults = Faults(failureRate: 0.3) },
        cancelled(pattern, limit: limit),
      ]
    }
    return scenarios
  }

  /// At the priorities that the others do not have.
  private static var priorities: [Scenario] {
    [PostPriority.low, .high].map { priority in
      plain(.presigned, .instant, 17, suffix: "-behind-100-priority-\(priority.rawValue)") {
        $0.behind = 100
        $0.priority = priority
      }
    }
  }

  private static func lookups(_ pattern: Pattern) -> [Scenario] {
    [plain(pattern, .instant, PostDetail.allCases.count)] + orders(of: pattern)
      + failures(of: pattern, at: PostDetail.allCases.map(\.rawValue)) + [cancelled(pattern)]
  }

  static func orders(of pattern: Pattern, limit: Int? = nil) -> [Scenario] {
    CompletionOrder.allCases.map { order in
      quick(pattern, limit: limit, suffix: order.rawValue) { $0.order = order }
    }
  }

  private static func failures(of pattern: Pattern, at indices: [Int], limit: Int? = nil) -> [Scenario] {
    indices.map { index in
      quick(pattern, limit: limit, suffix: "fail-at-\(index)") { $0.faults.failAt = index }
    }
  }

  /// Cancelled while everything is under way.
  static func cancelled(_ pattern: Pattern, limit: Int? = nil) -> Scenario {
    quick(pattern, limit: limit, suffix: "cancel") {
      $0.latency = .fixed(nanoseconds: 60_000_000_000)
      $0.cancelAfter = .milliseconds(1)
    }
  }

  /// Twenty uploads of a fifth of a millisecond or so.
  static func quick(
    _ pattern: Pattern, _ service: ServiceKind = .latency, limit: Int? = nil, suffix: String,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    // Lookups have media here, which nobody may upload.
    Scenario(
      name: "\(name(pattern, service, 20, limit: limit))-\(suffix)", pattern: pattern, service: service,
      fanOut: 20, limit: limit
    ) {
      $0.latency = .logNormal(medianNanoseconds: 200_000, sigma: 0.5)
      change(&$0)
    }
  }
}

extension Catalog {
  /// The requirements of one pattern that a real server can be part of: none that depends on times that nobody knows.
  ///
  /// All of it is uploaded below the URL `endpoint`.
  public static func verification(of pattern: Pattern, at endpoint: String, seed: UInt64) -> [Scenario] {
    let scenarios =
      if pattern.looksUp {
        [uploaded(pattern, 3), uploaded(pattern, 3, suffix: "fail-at-1") { $0.faults.failAt = 1 }]
      } else if pattern.isChunked {
        uploadedStreams
      } else {
        switch pattern.requests {
        case .mirrors: uploadedRaces
        case .attempts: uploadedAttempts
        case .one, .urlThenUpload: uploadedPosts(pattern, limits: pattern.takesLimit ? [nil, 3] : [nil])
        }
      }
    return scenarios.map { scenario in
      var scenario = scenario
      scenario.reseed(seed)
      scenario.endpoint = endpoint
      return scenario
    }
  }

  private static func uploadedPosts(_ pattern: Pattern, limits: [Int?]) -> [Scenario] {
    limits.flatMap { limit in
      [0, 1, 17, 100].map { uploaded(pattern, $0, limit: limit) } + [
        uploaded(pattern, 17, limit: limit, suffix: "fail-at-9") { $0.faults.failAt = 9 },
        uploaded(pattern, 17, limit: limit, suffix: "failure-rate") { $0.faults = Faults(failureRate: 0.3) },
        uploaded(pattern, 17, limit: limit, suffix: "cancel", cancelledUnderWay),
      ]
    }
  }

  private static let uploadedStreams: [Scenario] =
    [(0, 0, 1), (17, 0, 1), (17, 2, 3), (100, 8, 4)].map { chunks, buffer, uploaders in
      stream(chunks, suffix: "buffer-\(buffer)-uploaders-\(uploaders)") {
        $0.bufferCapacity = buffer
        $0.uploaders = uploaders
      }
    } + [stream(17, suffix: "fail-at-9") { $0.faults.failAt = 9 }]

  private static let uploadedRaces: [Scenario] =
    [(Duration.zero, "at-once"), (.seconds(3_600), "after-an-hour")].map { delay, suffix in
      uploaded(.race, 17, suffix: suffix) { $0.hedgeDelay = delay }
    }
    + Mirror.allCases.map { mirror in
      uploaded(.race, 17, suffix: "\(mirror)-fails") {
        $0.faults = Faults(failureRate: 1, mirror: mirror)
        $0.hedgeDelay = .microseconds(200)
      }
    } + [
      uploaded(.race, 17, suffix: "both-fail-at-9") {
        $0.faults.failAt = 9
        $0.hedgeDelay = .microseconds(200)
      }
    ]

  private static let uploadedAttempts: [Scenario] =
    [0, 1, 17, 100].map { uploaded(.resilient, $0) } + [
      uploaded(.resilient, 17, suffix: "fail-at-9-twice") {
        $0.faults = Faults(failAt: 9, kind: .transient, failingAttempts: 2)
      },
      uploaded(.resilient, 17, suffix: "refused-at-9") { $0.faults.failAt = 9 },
      uploaded(.resilient, 17, suffix: "cancel", cancelledUnderWay),
    ]

  /// So much that it cannot have arrived by then.
  private static func cancelledUnderWay(_ scenario: inout Scenario) {
    scenario.payloadBytes = 4 << 20
    scenario.cancelAfter = .milliseconds(1)
  }

  private static func stream(_ chunks: Int, suffix: String, _ change: (inout Scenario) -> Void) -> Scenario {
    uploaded(.stream, chunks, suffix: suffix) {
      $0.chunkBytes = 64
      $0.payloadBytes = 64 * chunks
      change(&$0)
    }
  }

  private static func uploaded(
    _ pattern: Pattern, _ fanOut: Int, limit: Int? = nil, suffix: String? = nil,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    plain(pattern, .http, fanOut, limit: limit, suffix: suffix.map { "-\($0)" } ?? "") {
      $0.payloadBytes = 1_024
      change(&$0)
    }
  }
}

extension Catalog {
  /// Buffers from a rendezvous to more than the media has chunks, and media from none to many.
  static let streams: [Scenario] =
    [0, 1, 2, 17, 1_000].flatMap { chunks in
      [(0, 1), (1, 3), (8, 4), (2_000, 2_000)].map { buffer, uploaders in
        stream(.instant, chunks, buffer: buffer, uploaders: uploaders)
      }
    }
    + CompletionOrder.allCases.map { order in
      stream(.latency, 20, suffix: order.rawValue) { $0.order = order }
    }
    + [0, 9, 19].map { (index: Int) in
      stream(.latency, 20, suffix: "fail-at-\(index)") { $0.faults.failAt = index }
    } + [
      stream(.latency, 20, suffix: "cancel") {
        $0.latency = .fixed(nanoseconds: 60_000_000_000)
        $0.cancelAfter = .milliseconds(1)
      }
    ]

  static let races: [Scenario] =
    [0, 1, 2, 17, 1_000].flatMap { fanOut in
      [(Duration.zero, "at-once"), (.seconds(3_600), "after-an-hour")].map { delay, suffix in
        plain(.race, .instant, fanOut, suffix: "-\(suffix)") { $0.hedgeDelay = delay }
      }
    }
    + CompletionOrder.allCases.map { order in
      hedged(order.rawValue) { $0.order = order }
    }
    + Mirror.allCases.map { mirror in
      hedged("\(mirror)-fails") { $0.faults = Faults(failureRate: 1, mirror: mirror) }
    } + [
      hedged("primary-is-silent") {
        $0.faults = Faults(failureRate: 1, kind: .silence, mirror: .primary)
      },
      hedged("both-fail-at-9") { $0.faults.failAt = 9 },
      cancelled(.race),
    ]

  private static func hedged(_ suffix: String, _ change: (inout Scenario) -> Void) -> Scenario {
    quick(.race, suffix: suffix) {
      $0.hedgeDelay = .microseconds(200)
      change(&$0)
    }
  }

  static let attempts: [Scenario] =
    [0, 1, 2, 17, 1_000].map { plain(.resilient, .instant, $0) }
    + orders(of: .resilient)
    + [1, 2, 3].map { (failing: Int) in
      quick(.resilient, suffix: "fail-at-9-\(failing)-times") {
        $0.faults = Faults(failAt: 9, kind: .transient, failingAttempts: failing)
      }
    } + [
      quick(.resilient, suffix: "refused-at-9") { $0.faults.failAt = 9 },
      quick(.resilient, suffix: "failure-rate") {
        $0.retry.attempts = 20
        $0.faults = Faults(failureRate: 0.3, kind: .transient)
      },
      quick(.resilient, suffix: "silent-at-9-once") {
        $0.retry.attemptDeadline = .milliseconds(50)
        $0.faults = Faults(failAt: 9, kind: .silence, failingAttempts: 1)
      },
      quick(.resilient, suffix: "deadline") {
        $0.retry.deadline = .milliseconds(5)
        $0.faults = Faults(failAt: 9, kind: .silence)
      },
      quick(.resilient, suffix: "deadline-has-passed") { $0.retry.deadline = .zero },
      // The cancel comes in a backoff of an hour.
      quick(.resilient, suffix: "cancel-backoff") {
        $0.retry.firstBackoff = .seconds(3_600)
        $0.retry.longestBackoff = .seconds(3_600)
        $0.faults = Faults(failureRate: 1, kind: .transient)
        $0.cancelAfter = .milliseconds(1)
      },
      cancelled(.resilient),
    ]

  static let blockingCalls: [Scenario] = [nil, 1, 3, 1_000].flatMap { limit in
    [0, 1, 2, 17, 200].map { plain(.blocking, .instant, $0, limit: limit) }
      + [0, 9, 19].map { (index: Int) in
        quick(.blocking, .blocking, limit: limit, suffix: "fail-at-\(index)") { $0.faults.failAt = index }
      } + [
        quick(.blocking, .blocking, limit: limit, suffix: "shuffled"),
        quick(.blocking, .blocking, limit: limit, suffix: "cancel") {
          $0.latency = .fixed(nanoseconds: 5_000_000)
          $0.cancelAfter = .milliseconds(1)
        },
      ]
  }

  private static func stream(
    _ service: ServiceKind, _ chunks: Int, buffer: Int = 2, uploaders: Int = 3, suffix: String? = nil,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    plain(.stream, service, chunks, suffix: "-" + (suffix ?? "buffer-\(buffer)-uploaders-\(uploaders)")) {
      $0.latency = .logNormal(medianNanoseconds: 200_000, sigma: 0.5)
      $0.chunkBytes = 64
      $0.payloadBytes = 64 * chunks
      $0.bufferCapacity = buffer
      $0.uploaders = uploaders
      change(&$0)
    }
  }
}
