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
