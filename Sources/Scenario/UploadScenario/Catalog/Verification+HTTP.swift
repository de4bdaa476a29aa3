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
