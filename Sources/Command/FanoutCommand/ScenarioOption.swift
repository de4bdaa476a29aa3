import UploadScenario

/// An option such as `--limit 8`, which sets a parameter of a scenario. A new option needs a property of `Scenario` and a row in ``all``.
struct ScenarioOption: Sendable {
  /// What the scenario's name shows of the option.
  enum Fragment: Sendable {
    case none
    case value
    /// A word at the end of the scenario's name. Such words of several options follow in the reverse order of ``all``.
    case word(@Sendable (Scenario) -> String)
  }

  struct Need: Sendable {
    let service: String
    let isMet: @Sendable (ServiceKind) -> Bool
    /// Why a service does not suffice for the option.
    let reason: @Sendable (ServiceKind) -> String
    /// Whether one suitable service is enough if the user gives several.
    var isShared = false
  }

  struct Binding: Sendable {
    /// All possible values. Empty if there is no list of them.
    var words: [String] = []
    var set: @Sendable (Options, String, inout Scenario) throws -> Void = { _, _, _ in }
  }

  let option: Option
  private let binding: Binding
  private let isTaken: @Sendable (Pattern) -> Bool
  /// Whether the option matters only if requests take time. If so, `latency` is the default service.
  let takesTime: Bool
  let need: Need?
  let fragment: Fragment

  init(
    _ name: String, _ value: String?, _ summary: String, _ binding: Binding = Binding(),
    for isTaken: @escaping @Sendable (Pattern) -> Bool = { _ in true }, takesTime: Bool = false,
    needs need: Need? = nil, fragment: Fragment = .value
  ) {
    option = Option(name, value, summary, words: binding.words)
    self.binding = binding
    self.isTaken = isTaken
    self.takesTime = takesTime
    self.need = need
    self.fragment = fragment
  }

  func apply(_ options: Options, to scenario: inout Scenario) throws {
    if options.has(option.name) { try binding.set(options, option.name, &scenario) }
  }

  static func check(_ options: Options, _ patterns: [Pattern]) throws {
    for row in all where options.has(row.option.name) {
      guard let other = patterns.first(where: { !row.isTaken($0) }) else { continue }
      throw UsageError("\(row.option.name) does not apply to \(other.rawValue): \(row.reason(other)).")
    }
  }

  private func reason(_ other: Pattern) -> String {
    let takers = Pattern.allCases.filter(isTaken)
    if takers.count == 1 { return "it is for \(takers[0].rawValue)" }
    if other.looksUp { return "this pattern has three lookups and no media files" }
    return other.isChunked
      ? "this pattern uploads one media file of --payload bytes, which --uploaders take in chunks of --chunk"
      : "this pattern starts all uploads at once"
  }

  /// Throws if a service does not suffice for the option. `all` contains every service that the user gave.
  func check(_ service: ServiceKind, among all: [ServiceKind]) throws {
    guard let need, !(need.isShared ? all.contains(where: need.isMet) : need.isMet(service)) else { return }
    throw UsageError("\(option.name) needs --service \(need.service): \(need.reason(service)).")
  }
}

extension ScenarioOption.Binding {
  static func value<Value>(
    _ path: WritableKeyPath<Scenario, Value> & Sendable,
    _ read: @escaping @Sendable (Options, String) throws -> Value?
  ) -> Self {
    Self { options, name, scenario in
      if let value = try read(options, name) { scenario[keyPath: path] = value }
    }
  }

  static func word<Value: CaseIterable & Sendable>(
    of type: Value.Type, _ set: @escaping @Sendable (inout Scenario, Value) -> Void
  ) -> Self {
    let words = type.allCases.map { "\($0)" }
    return Self(words: words) { options, name, scenario in
      let word = try options.choice(name, among: words)
      if let value = type.allCases.first(where: { "\($0)" == word }) { set(&scenario, value) }
    }
  }

  static func flag(_ path: WritableKeyPath<Scenario, Bool> & Sendable) -> Self {
    Self { _, _, scenario in scenario[keyPath: path] = true }
  }
}

extension ScenarioOption {
  /// All options. The help and a scenario's name show them in this order.
  static let all = posts + ofOnePattern + faults

  static let options =
    posts.map(\.option).titled("a post of your own, and where it goes")
    + ofOnePattern.map(\.option).titled("for one pattern only")
    + faults.map(\.option).titled("failure, cancellation, order")

  /// Options about the uploads. `OwnScenarios` parses those without a binding, such as lists, which make one scenario of each value.
  private static let posts: [ScenarioOption] = [
    .init(
      "--fan-out", "N,M", "how many uploads a post has (100)", for: { $0.unit == .upload }, fragment: .none),
    .init(
      "--limit", "K", "at most K uploads in flight (all at once)",
      .value(\.limit) { try $0.integer($1, in: 1...Post.mostMedia) },
      // A pattern that uploads one file after another accepts any limit, as it never exceeds one.
      for: { $0.takesLimit || $0.isSerial && !$0.looksUp }),
    .init(
      "--service", "A,B",
      "services to upload to: instant, latency, file, http or blocking (the one that the other options need, else instant)",
      fragment: .none),
    .init(
      "--latency", "TIME", "median time of a request on the latency or blocking service (2ms)",
      .value(\.latency) {
        try $0.duration($1).map { .logNormal(medianNanoseconds: $0, sigma: Scenario.usualSigma) }
      }, takesTime: true,
      needs: Need(
        service: "latency or blocking", isMet: \.takesTime, reason: { "\($0) has no set latency" },
        isShared: true)),
    .init(
      "--endpoint", "URL", "server of the http service; without --service, instant is measured as well",
      needs: Need(
        service: "http", isMet: { $0 == .http }, reason: { "\($0) is in this process" }, isShared: true),
      fragment: .none),
    .init(
      "--media", "DIR", "post the photos and videos found in DIR (with --service file or http)",
      for: { $0.unit == .upload }, needs: keptBytes, fragment: .none),
    .init(
      "--store", "DIR",
      "where the file service stores objects (a temporary folder), or where the http service's server keeps them (read back with GET)",
      for: { !$0.looksUp }, needs: keptBytes, fragment: .none),
    .init(
      "--fsync", nil, "the file service waits until each object is on the disk", .flag(\.syncsToDisk),
      for: { $0.unit == .upload },
      needs: Need(
        service: "file", isMet: { $0 == .file }, reason: { "\($0) writes nothing to this machine's disk" }),
      fragment: .word { _ in "fsync" }),
    .init(
      "--payload", "SIZE",
      "size of each synthetic media file (64KiB), or of the media file of stream (64 chunks)",
      .value(\.payloadBytes) { try $0.bytes($1) }, for: { !$0.looksUp }),
    .init(
      "--overlap", "N",
      "keep N posts in flight, each started by the completion of an earlier one; 1 means back to back (each post starts when all threads are idle)",
      .value(\.overlap) { try $0.integer($1, in: 1...Scenario.mostOverlap) }),
  ]

  private static let keptBytes = Need(
    service: "file or http", isMet: \.keepsBytes, reason: { "\($0) keeps no bytes" }, isShared: true)

  private static let ofOnePattern: [ScenarioOption] = [
    .init(
      "--prepare", "TIME",
      "presigned: how long a processor computes for each media file before its upload, such as 200us (one pass over its bytes)",
      Binding { options, name, scenario in
        // A number without a unit is refused, because it could be taken for a number of passes.
        guard Double(options.text(name) ?? "") == nil, let time = try? options.duration(name),
          time <= 60_000_000_000
        else {
          throw UsageError("\(name) takes a time with its unit, such as 200us, above zero and at most 60s.")
        }
        if !options.has("--payload"), !options.has("--media") {
          scenario.payloadBytes = Scenario.computedBytes
        }
        scenario.prepareTime = .nanoseconds(time)
      }, for: \.prepares),
    .init(
      "--behind", "N", "presigned: start N low-priority posts of one media file before the measured post (0)",
      .value(\.behind) { try $0.integer($1, in: 0...Scenario.mostBehind) }, for: \.prepares),
    .init(
      "--priority", "NAME",
      "presigned: how urgent the post is: low, normal or high (normal, high with --behind)",
      .word(of: PostPriority.self) { $0.priority = $1 }, for: \.prepares),
    .init(
      "--chunk", "SIZE", "stream: size of a chunk, a multiple of 8 bytes (64KiB)",
      .value(\.chunkBytes) { try $0.bytes($1) }, for: \.isChunked),
    .init(
      "--buffer", "C", "stream: chunks between producer and uploaders, 0 for a rendezvous (8)",
      .value(\.bufferCapacity) { try $0.integer($1, in: 0...1_000_000) }, for: \.isChunked),
    .init(
      "--uploaders", "K", "stream: uploads at a time (4)",
      .value(\.uploaders) { try $0.integer($1, in: 1...1_000_000) }, for: \.isChunked),
    .init(
      "--hedge", "TIME", "race: delay before the request to the second mirror; 0s for none (4ms)",
      .value(\.hedgeDelay) { try $0.delay($1) }, for: \.races, takesTime: true),
    .init(
      "--attempts", "A", "resilient: attempts at each upload (3)",
      .value(\.retry.attempts) { try $0.integer($1, in: 1...200) }, for: \.retries),
    .init(
      "--attempt-timeout", "TIME", "resilient: how long an attempt may take (no limit)",
      .value(\.retry.attemptDeadline) { try $0.delay($1) }, for: \.retries, takesTime: true),
    .init(
      "--deadline", "TIME", "resilient: how long the whole job may take; 0s means already over (no limit)",
      .value(\.retry.deadline) { try $0.delay($1) }, for: \.retries, takesTime: true),
    .init(
      "--backoff", "TIME", "resilient: the wait after the first attempt, doubled after each (1ms)",
      .value(\.retry.firstBackoff) { try $0.delay($1) }, for: \.retries, takesTime: true),
  ]

  private static let faults: [ScenarioOption] = [
    .init(
      "--fail-at", "I", "the upload, chunk or lookup I fails",
      .value(\.faults.failAt) { try $0.integer($1, in: 0...Post.mostMedia - 1) }),
    .init(
      "--failure-rate", "P", "each upload fails with probability P, by seed",
      .value(\.faults.failureRate) { try $0.share($1) }),
    .init(
      "--fault", "KIND", "how a request fails: refusal, transient or silence (refusal)",
      .word(of: Faults.Kind.self) { $0.faults.kind = $1 }),
    .init(
      "--fail-attempts", "N", "resilient: only the first N attempts at --fail-at fail (all)",
      .value(\.faults.failingAttempts) { try $0.integer($1, in: 1...200) }, for: \.retries),
    .init(
      "--mirror", "NAME", "race: only the primary or the secondary mirror fails (both)",
      .word(of: Mirror.self) { $0.faults.mirror = $1 }, for: \.races),
    .init(
      "--cancel-after", "TIME", "cancel the job this long after its start",
      .value(\.cancelAfter) { try $0.duration($1).map { .nanoseconds($0) } }, takesTime: true,
      needs: Need(
        service: "latency", isMet: { $0 != .instant },
        reason: { "with \($0), the job would end before it is cancelled" })),
    .init(
      "--order", "A,B",
      "order in which the latency service ends uploads: forward, reverse, shuffled (shuffled)",
      Binding(words: CompletionOrder.allCases.map(\.rawValue)), takesTime: true,
      needs: Need(service: "latency", isMet: \.takesTime, reason: { "\($0) has no set order" }),
      fragment: .word(\.order.rawValue)),
    .init(
      "--hold", nil,
      "the latency service holds its answers until as many uploads are in flight as possible, then sends all at once",
      .flag(\.holdsAnswers), takesTime: true, fragment: .word { _ in "hold" }),
  ]
}
