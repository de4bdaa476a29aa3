/// The named scenarios, grouped by the question that each answers.
public enum Catalog {
  /// What `bench run` measures by default: two to four scenarios for each class of work.
  public static let standard: [Scenario] = [
    // Uploads wait.
    "publish-latency-100", "publish-latency-100-limit-10", "zip-latency-3",
    // Nothing waits.
    "publish-instant-1", "publish-instant-100", "publish-instant-1000", "publish-instant-10000",
    // Few at once.
    "publish-instant-1000-limit-8", "sequence-instant-100",
    // Each computes.
    "presigned-instant-64-prepare-20us", "presigned-instant-64-prepare-200us",
    "presigned-instant-16-prepare-2ms",
    // Calls block.
    "blocking-64", "blocking-64-limit-8",
    // Failing.
    "failure-latency-100", "cancel-latency-100",
  ].compactMap(scenario)

  /// What `bench run --full` measures: every scenario with a question of its own.
  public static let full: [Scenario] =
    efficiency + resilience + overhead + computing + blocking + failure + cancellation

  /// What `bench run --quick` measures: few enough for verdicts in ten seconds.
  public static let quick: [Scenario] = [
    "publish-instant-1", "publish-instant-100", "publish-instant-1000", "publish-latency-100",
  ]
  .compactMap(scenario)

  /// The scenarios that can be named, including slow ones.
  public static let named: [Scenario] = full + network + load + urgency + steady.filter { $0.overlap != nil }

  /// The scenario of ``named`` with this name, which may end in a context (`publish-instant-100-on-queue`).
  public static func scenario(named name: String) -> Scenario? {
    if let scenario = named.first(where: { $0.name == name }) { return scenario }
    for context in CompletionContext.allCases {
      let ending = Scenario.contextMark + context.rawValue
      guard name.hasSuffix(ending) else { continue }
      return scenario(named: String(name.dropLast(ending.count)))?.on(context)
    }
    return nil
  }

  // MARK: The questions

  /// What does an idiom cost when the work itself costs nothing?
  public static let overhead: [Scenario] =
    [0, 1, 10, 100, 1_000, 10_000].map { plain(.publish, .instant, $0) } + [
      plain(.publish, .instant, 1_000, limit: 8),
      plain(.sequence, .instant, 100),
      plain(.zip, .instant, 3),
      // Chunks so small that reading one takes less than handing it over.
      smallStream(of: 1_000),
      // A plain race: both mirrors at once.
      plain(.race, .instant, 100) { $0.hedgeDelay = .zero },
    ]

  /// How close to the ideal does an idiom come when uploads take time?
  public static let efficiency: [Scenario] = [
    plain(.publish, .latency, 100),
    // Shorter uploads, since ten waves follow one another.
    plain(.publish, .latency, 100, limit: 10) {
      $0.latency = .logNormal(medianNanoseconds: 1_000_000, sigma: 0.5)
    },
    // Shorter still: two requests for each media file.
    plain(.presigned, .latency, 100, limit: 10) {
      $0.latency = .logNormal(medianNanoseconds: 500_000, sigma: 0.5)
    },
    plain(.zip, .latency, 3),
    plain(.zipSerial, .latency, 3),
  ]

  /// What is left of an idiom's cost where uploads go to a server by URLSession? It needs `--endpoint`.
  public static let network: [Scenario] = [plain(.publish, .http, 100)]

  /// What do hedges and retries cost where some uploads are late or fail?
  public static let resilience: [Scenario] = [
    // One upload in ten is a straggler, which the other mirror overtakes.
    plain(.race, .latency, 100) {
      $0.latency = .straggler(nanoseconds: 1_000_000, every: 10, factor: 10)
      $0.hedgeDelay = .milliseconds(2)
    },
    // Of 100 uploads, some 8 take a second attempt, and perhaps 1 a third.
    plain(.resilient, .latency, 100) {
      $0.retry = RetryPolicy(attempts: 5, attemptDeadline: .milliseconds(500), deadline: .seconds(5))
      $0.faults = Faults(failureRate: 0.08, kind: .transient, seed: 1)
    },
  ]

  /// How many threads do blocked calls take, and how late do they make the rest of the process?
  public static let blocking: [Scenario] =
    [nil, 8].map { limit in
      Scenario(
        name: "blocking-64" + (limit.map { "-limit-\($0)" } ?? ""), pattern: .blocking, service: .blocking,
        fanOut: 64, limit: limit
      ) { $0.latency = .fixed(nanoseconds: 250_000) }
    }

  /// What does it cost to spread computing over all processors, for pieces of three lengths?
  public static let computing: [Scenario] = [
    (64, "20us", .microseconds(20)), (64, "200us", .microseconds(200)), (16, "2ms", .milliseconds(2)),
  ].map { (pieces: Int, name: String, time: Duration) in
    plain(.presigned, .instant, pieces, suffix: "-prepare-\(name)") {
      $0.payloadBytes = Scenario.computedBytes
      $0.prepareTime = time
    }
  }

  /// How long from the first failure to the caller's error? The first upload to end fails while the others are in flight.
  public static let failure: [Scenario] = [
    Scenario(name: "failure-latency-100", service: .latency, fanOut: 100) {
      $0.order = .forward
      $0.faults = Faults(failAt: 0)
    }
  ]

  /// How long from the cancellation to the caller's `CancellationError`? All uploads are in flight.
  public static let cancellation: [Scenario] = [
    Scenario(name: "cancel-latency-100", service: .latency, fanOut: 100) {
      $0.latency = .fixed(nanoseconds: 500_000_000)
      $0.cancelAfter = .milliseconds(1)
    }
  ]

  /// Which post does an idiom serve first? One of high priority behind 10,000 of low, and one of low for comparison.
  public static let urgency: [Scenario] = [PostPriority.high, .low].map { priority in
    plain(.presigned, .instant, 64, suffix: "-behind-10000" + (priority == .high ? "" : "-priority-low")) {
      $0.behind = 10_000
      $0.priority = priority
    }
  }

  /// What does a post cost a server that is never idle? From sleeping threads, as in `overhead`; back to back; and 16 at once.
  public static let steady: [Scenario] = [
    plain(.publish, .instant, 10),
    plain(.publish, .instant, 10, suffix: "-back-to-back") { $0.overlap = 1 },
    plain(.publish, .instant, 10, suffix: "-overlap-16") { $0.overlap = 16 },
  ]

  /// What `bench load` offers by default: an ordinary post with realistic waits.
  public static let load: [Scenario] = [plain(.publish, .latency, 10)]

  /// How often does an idiom allocate, retain and release? A small scenario of each pattern, mostly without waits.
  public static let counting: [Scenario] =
    [1, 10, 100].map { plain(.publish, .instant, $0) } + [
      plain(.publish, .instant, 100, limit: 8),
      plain(.publish, .latency, 10),
      plain(.sequence, .instant, 10),
      plain(.zip, .instant, 3),
      plain(.presigned, .instant, 10),
      smallStream(of: 100),
      plain(.race, .instant, 10) { $0.hedgeDelay = .zero },
      // One upload takes a second attempt.
      plain(.resilient, .instant, 10) {
        $0.faults = Faults(failAt: 4, kind: .transient, failingAttempts: 1)
      },
    ]

  // MARK: Parts

  /// A scenario named after its data; for lookups and chunks, `fanOut` is only in the name.
  static func plain(
    _ pattern: Pattern, _ service: ServiceKind, _ fanOut: Int, limit: Int? = nil, suffix: String = "",
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    let media = [.upload: fanOut, .chunk: 1, .lookup: 0][pattern.unit]!
    let name = "\(pattern.rawValue)-\(service.rawValue)-\(fanOut)" + (limit.map { "-limit-\($0)" } ?? "")
    return Scenario(
      name: name + suffix, pattern: pattern, service: service, fanOut: media, limit: limit, change)
  }

  private static func smallStream(of chunks: Int) -> Scenario {
    plain(.stream, .instant, chunks) {
      $0.chunkBytes = 512
      $0.payloadBytes = chunks * $0.chunkBytes
    }
  }
}
