/// The named scenarios, grouped by the question that they answer.
public enum Catalog {
  /// The scenarios of `bench run`, for each kind of work.
  public static let standard: [Scenario] = [
    // Uploads take time.
    "publish-latency-100", "publish-latency-100-limit-10", "zip-latency-3",
    // Uploads take no time.
    "publish-instant-1", "publish-instant-100", "publish-instant-1000", "publish-instant-10000",
    // Uploads take no time, and few may be in flight.
    "publish-instant-1000-limit-8", "sequence-instant-100",
    // Each upload computes.
    "presigned-instant-64-prepare-20us", "presigned-instant-64-prepare-200us",
    "presigned-instant-16-prepare-2ms",
    // Each upload blocks a thread.
    "blocking-64", "blocking-64-limit-8",
    // An upload fails, or the job is cancelled.
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

  /// The scenarios that users can select by name, including slow ones.
  public static let named: [Scenario] = full + network + load + urgency + steady.filter { $0.overlap != nil }

  /// The scenario with a name, which may end in a completion context (`publish-instant-100-on-queue`).
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
      smallStream(of: 1_000),
      // Without a delay, the uploads to both mirrors start at the same time.
      plain(.race, .instant, 100) { $0.hedgeDelay = .zero },
    ]

  /// How close does an idiom come to the shortest possible time if uploads take time?
  public static let efficiency: [Scenario] = [
    plain(.publish, .latency, 100),
    // Uploads are shorter here, because a limit of 10 makes ten waves of them.
    plain(.publish, .latency, 100, limit: 10) {
      $0.latency = .logNormal(medianNanoseconds: 1_000_000, sigma: 0.5)
    },
    // Requests are even shorter here, because each media file needs two.
    plain(.presigned, .latency, 100, limit: 10) {
      $0.latency = .logNormal(medianNanoseconds: 500_000, sigma: 0.5)
    },
    plain(.zip, .latency, 3),
    plain(.zipSerial, .latency, 3),
  ]

  /// How much do idioms still differ if URLSession uploads to a server (`--endpoint`)?
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

  /// Does a post of high priority overtake 10,000 earlier posts of low priority? One of low priority is measured for comparison.
  public static let urgency: [Scenario] = [PostPriority.high, .low].map { priority in
    plain(.presigned, .instant, 64, suffix: "-behind-10000" + (priority == .high ? "" : "-priority-low")) {
      $0.behind = 10_000
      $0.priority = priority
    }
  }

  /// What does a post cost on a busy server? Posts start when all threads sleep, one directly after another, or 16 at a time.
  public static let steady: [Scenario] = [
    plain(.publish, .instant, 10),
    plain(.publish, .instant, 10, suffix: "-back-to-back") { $0.overlap = 1 },
    plain(.publish, .instant, 10, suffix: "-overlap-16") { $0.overlap = 16 },
  ]

  /// The scenario of `bench load`: a small post with realistic waits.
  public static let load: [Scenario] = [plain(.publish, .latency, 10)]

  /// How often does an idiom allocate, retain and release, in small scenarios of each pattern?
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

  // MARK: Creating scenarios

  /// Creates a scenario that is named after its data. For lookups and chunks, only the name uses `fanOut`.
  static func plain(
    _ pattern: Pattern, _ service: ServiceKind, _ fanOut: Int, limit: Int? = nil, suffix: String = "",
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    let media = [.upload: fanOut, .chunk: 1, .lookup: 0][pattern.unit]!
    let name = "\(pattern.rawValue)-\(service.rawValue)-\(fanOut)" + (limit.map { "-limit-\($0)" } ?? "")
    return Scenario(
      name: name + suffix, pattern: pattern, service: service, fanOut: media, limit: limit, change)
  }

  /// A stream of chunks so small that reading one takes less time than passing it to another thread.
  private static func smallStream(of chunks: Int) -> Scenario {
    plain(.stream, .instant, chunks) {
      $0.chunkBytes = 512
      $0.payloadBytes = chunks * $0.chunkBytes
    }
  }
}
