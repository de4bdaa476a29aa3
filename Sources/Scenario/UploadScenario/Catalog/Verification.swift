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
