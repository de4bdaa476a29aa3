/// The named scenarios, grouped by the question that they answer.
public enum Catalog {
  /// The scenarios of `bench run`. There are some for each class of work.
  public static let standard: [Scenario] = [
    // Class of work: uploads wait.
    "publish-latency-100", "publish-latency-100-limit-10", "zip-latency-3",
    // Class of work: nothing waits.
    "publish-instant-1", "publish-instant-100", "publish-instant-1000", "publish-instant-10000",
    // Class of work: no wait, limited.
    "publish-instant-1000-limit-8", "sequence-instant-100",
    // Class of work: each computes.
    "presigned-instant-64-prepare-20us", "presigned-instant-64-prepare-200us",
    "presigned-instant-16-prepare-2ms",
    // Class of work: calls block.
    "blocking-64", "blocking-64-limit-8",
    // Class of work: failing.
    "failure-latency-100", "cancel-latency-100",
  ].compactMap(scenario)

  /// The scenarios of `bench run --full`, in the order of the questions that they answer.
  public static let full: [Scenario] =
    efficiency + resilience + overhead + computing + blocking + failure + cancellation

  /// The scenarios of `bench run --quick`, few enough for verdicts within ten seconds.
  public static let quick: [Scenario] = [
    "publish-instant-1", "publish-instant-100", "publish-instant-1000", "publish-latency-100",
  ]
  .compactMap(scenario)

  /// The scenarios that can be named, including slow ones.
  public static let named: [Scenario] = full + network + load + urgency + steady.filter { $0.overlap != nil }

  /// The scenario of ``named`` that has a name. The name may end in a completion context (`publish-instant-100-on-queue`).
  public static func scenario(named name: String) -> Scenario? {
    if let scenario = named.first(where: { $0.name == name }) { return scenario }
    for context in CompletionContext.allCases {
      let ending = Scenario.contextMark + context.rawValue
      guard name.hasSuffix(ending) else { continue }
      return scenario(named: String(name.dropLast(ending.count)))?.on(context)
    }
    return nil
  }

  // MARK: Scenarios by question

  /// How much time does an idiom take if the work itself takes none?
  public static let overhead: [Scenario] =
    [0, 1, 10, 100, 1_000, 10_000].map { plain(.publish, .instant, $0) } + [
      plain(.publish, .instant, 1_000, limit: 8),
      plain(.sequence, .instant, 100),
      plain(.zip, .instant, 3),
      // The chunks are so small that reading one takes less time than passing it to another thread.
      smallStream(of: 1_000),
      // Without a hedge delay, the uploads to both mirrors start at the same time.
      plain(.race, .instant, 100) { $0.hedgeDelay = .zero },
    ]

  /// How close does an idiom come to the shortest possible time if uploads take time?
  public static let efficiency: [Scenario] = [
    plain(.publish, .latency, 100),
    // The uploads are shorter, because a limit of 10 makes ten waves of uploads.
    plain(.publish, .latency, 100, limit: 10) {
      $0.latency = .logNormal(medianNanoseconds: 1_000_000, sigma: 0.5)
    },
    // Each request is even shorter, because each media file needs two requests.
    plain(.presigned, .latency, 100, limit: 10) {
      $0.latency = .logNormal(medianNanoseconds: 500_000, sigma: 0.5)
    },
    plain(.zip, .latency, 3),
    plain(.zipSerial, .latency, 3),
  ]

  /// How much do idioms still differ if URLSession uploads to a server? These scenarios need `--endpoint`.
  public static let network: [Scenario] = [plain(.publish, .http, 100)]

  /// What do hedges and retries cost if some uploads are late or fail?
  public static let resilience: [Scenario] = [
    // One upload in ten is so slow that the upload to the other mirror ends first.
    plain(.race, .latency, 100) {
      $0.latency = .straggler(nanoseconds: 1_000_000, every: 10, factor: 10)
      $0.hedgeDelay = .milliseconds(2)
    },
    // Of 100 uploads, about 8 need a second attempt and about 1 needs a third.
    plain(.resilient, .latency, 100) {
      $0.retry = RetryPolicy(attempts: 5, attemptDeadline: .milliseconds(500), deadline: .seconds(5))
      $0.faults = Faults(failureRate: 0.08, kind: .transient, seed: 1)
    },
  ]

  /// How many threads do blocking calls need, and how much do they delay timers in the rest of the process?
  public static let blocking: [Scenario] =
    [nil, 8].map { limit in
      Scenario(
        name: "blocking-64" + (limit.map { "-limit-\($0)" } ?? ""), pattern: .blocking, service: .blocking,
        fanOut: 64, limit: limit
      ) { $0.latency = .fixed(nanoseconds: 250_000) }
    }

  /// What does it cost to distribute computing work over all processors, for pieces of three lengths?
  public static let computing: [Scenario] = [
    (64, "20us", .microseconds(20)), (64, "200us", .microseconds(200)), (16, "2ms", .milliseconds(2)),
  ].map { (pieces: Int, name: String, time: Duration) in
    plain(.presigned, .instant, pieces, suffix: "-prepare-\(name)") {
      $0.payloadBytes = Scenario.computedBytes
      $0.prepareTime = time
    }
  }

  /// How much time passes from the first failure to the caller's error? The first upload to end fails.
  public static let failure: [Scenario] = [
    Scenario(name: "failure-latency-100", service: .latency, fanOut: 100) {
      $0.order = .forward
      $0.faults = Faults(failAt: 0)
    }
  ]

  /// How much time passes from the cancellation to the caller's `CancellationError`? All uploads are in flight.
  public static let cancellation: [Scenario] = [
    Scenario(name: "cancel-latency-100", service: .latency, fanOut: 100) {
      $0.latency = .fixed(nanoseconds: 500_000_000)
      $0.cancelAfter = .milliseconds(1)
    }
  ]

  /// Which post does an idiom run first? A high-priority post starts after 10,000 low-priority posts; in a second scenario,
  /// that post has low priority, too, for comparison.
  public static let urgency: [Scenario] = [PostPriority.high, .low].map { priority in
    plain(.presigned, .instant, 64, suffix: "-behind-10000" + (priority == .high ? "" : "-priority-low")) {
      $0.behind = 10_000
      $0.priority = priority
    }
  }

  /// What does a post cost on a busy server? Posts start from sleeping threads, directly one after another, or 16 in flight.
  public static let steady: [Scenario] = [
    plain(.publish, .instant, 10),
    plain(.publish, .instant, 10, suffix: "-back-to-back") { $0.overlap = 1 },
    plain(.publish, .instant, 10, suffix: "-overlap-16") { $0.overlap = 16 },
  ]

  /// The scenario of `bench load`: a small post with realistic waits.
  public static let load: [Scenario] = [plain(.publish, .latency, 10)]

  /// How often does an idiom allocate, retain and release? There is a small scenario for each pattern, mostly without waits.
  public static let counting: [Scenario] =
    [1, 10, 100].map { plain(.publish, .instant, $0) } + [
      plain(.publish, .instant, 100, limit: 8),
      plain(.publish, .latency, 10),
      plain(.sequence, .instant, 10),
      plain(.zip, .instant, 3),
      plain(.presigned, .instant, 10),
      smallStream(of: 100),
      plain(.race, .instant, 10) { $0.hedgeDelay = .zero },
      // One upload needs a second attempt.
      plain(.resilient, .instant, 10) {
        $0.faults = Faults(failAt: 4, kind: .transient, failingAttempts: 1)
      },
    ]

  // MARK: Construction

  /// Creates a scenario that is named after its data. For lookups and chunks, `fanOut` is used only for the name.
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
