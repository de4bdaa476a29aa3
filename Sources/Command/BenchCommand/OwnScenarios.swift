import Foundation
import Results
import UploadScenario
import UploadServices

/// The scenarios that a user describes by options: every pattern that is asked for with every fan-out.
struct OwnScenarios {
  private let options: Options
  private let seed: UInt64

  init(_ options: Options, seed: UInt64) {
    self.options = options
    self.seed = seed
  }

  var scenarios: [Scenario] {
    get throws {
      let patterns = try ScenarioOptions.patterns(options) ?? [.publish]
      try PatternOptions.check(options, patterns)
      let posts = try posts
      let orders = try orders
      return try patterns.flatMap { pattern in
        // The post of a stream has one media, a lookup none: nothing that a fan-out could change.
        try (pattern.looksUp ? [PostShape(photos: 0)] : pattern == .stream ? [PostShape(photos: 1)] : posts)
          .flatMap { post in
            try services(for: pattern).flatMap { service in
              try orders.map { try scenario(pattern, post, on: service, $0) }
            }
          }
      }
    }
  }

  private func scenario(
    _ pattern: Pattern, _ post: PostShape, on service: ServiceKind, _ order: CompletionOrder
  ) throws -> Scenario {
    var scenario = Scenario(name: "", pattern: pattern, photos: post.photos, videos: post.videos)
    scenario.mediaDirectory = post.directory
    scenario.mediaChecksum = post.checksum
    scenario.service = service
    scenario.limit = try options.integer("--limit", in: 1...Post.mostMedia)
    scenario.preparePasses = try options.integer("--prepare", in: 0...1_000_000) ?? scenario.preparePasses
    scenario.behind = try options.integer("--behind", in: 0...Scenario.mostBehind) ?? 0
    scenario.priority =
      try options.choice("--priority", among: PostPriority.allCases.map(\.rawValue))
      .flatMap(PostPriority.init) ?? (scenario.behind > 0 ? .high : .normal)
    scenario.chunkBytes = try options.bytes("--chunk") ?? scenario.chunkBytes
    scenario.bufferCapacity = try options.integer("--buffer", in: 0...1_000_000) ?? scenario.bufferCapacity
    scenario.uploaders = try options.integer("--uploaders", in: 1...1_000_000) ?? scenario.uploaders
    let usualBytes = pattern == .stream ? 64 * scenario.chunkBytes : scenario.payloadBytes
    scenario.payloadBytes = try post.meanBytes ?? options.bytes("--payload") ?? usualBytes
    scenario.hedgeDelay = try options.delay("--hedge") ?? scenario.hedgeDelay
    scenario.retry = try retry()
    scenario.faults = try faults()
    scenario.cancelAfter = try options.duration("--cancel-after").map { .nanoseconds($0) }
    scenario.order = order
    scenario.holdsAnswers = options.has("--hold")
    scenario.reseed(seed)
    scenario.syncsToDisk = options.has("--fsync")
    scenario.storeDirectory = service.keepsBytes ? options.text("--store") : nil
    scenario.endpoint = service == .http ? try endpoint().url : nil
    scenario.name = name(of: scenario)
    // A stream of no valid chunks has no fan-out to check a fault against.
    if scenario.problem == nil { try check(scenario) }
    return scenario
  }

  private func retry() throws -> RetryPolicy {
    var retry = RetryPolicy()
    retry.attempts = try options.integer("--attempts", in: 1...200) ?? retry.attempts
    retry.attemptDeadline = try options.deadline("--attempt-timeout")
    retry.deadline = try options.deadline("--deadline")
    retry.firstBackoff = try options.delay("--backoff") ?? retry.firstBackoff
    retry.longestBackoff = max(retry.longestBackoff, retry.firstBackoff)
    return retry
  }

  private func faults() throws -> Faults {
    let faults = Faults(
      failAt: try options.integer("--fail-at", in: 0...Post.mostMedia - 1),
      failureRate: try options.share("--failure-rate") ?? 0,
      kind: try options.choice("--fault", among: Faults.Kind.allCases.map(\.rawValue))
        .flatMap(Faults.Kind.init) ?? .refusal,
      failingAttempts: try options.integer("--fail-attempts", in: 1...200),
      mirror: try mirror())
    if let given = options.firstGiven(["--fault", "--mirror"]), faults.isEmpty {
      throw UsageError("\(given) says how something fails: say what, with --fail-at or --failure-rate.")
    }
    if options.has("--fail-attempts") {
      if faults.failAt == nil {
        throw UsageError("--fail-attempts needs --fail-at: the attempts are at that.")
      }
      if faults.kind == .refusal {
        throw UsageError(
          "--fail-attempts needs --fault transient or silence: what is refused is not tried again.")
      }
    }
    return faults
  }

  private func mirror() throws -> Mirror? {
    let names = Mirror.allCases.map { "\($0)" }
    return try options.choice("--mirror", among: names).flatMap { name in
      Mirror.allCases.first { "\($0)" == name }
    }
  }

  /// Several that are named stand beside each other.
  private func services(for pattern: Pattern) throws -> [ServiceKind] {
    let known = ServiceKind.allCases.map(\.rawValue)
    if let names = try options.list("--service") {
      let services = try names.map { name in
        guard let service = ServiceKind(rawValue: name) else {
          throw UsageError.unknown("service", name, among: known)
        }
        return service
      }
      if services.contains(.file), services.contains(.http), options.has("--store") {
        throw UsageError("--store is either the file service's or the http server's: name one of them.")
      }
      return services
    }
    let takesTime =
      options.firstGiven([
        "--cancel-after", "--order", "--hold", "--hedge", "--attempt-timeout", "--deadline", "--backoff",
      ]) != nil || options.text("--fault") == Faults.Kind.silence.rawValue
    if options.has("--endpoint") {
      // How little of a real upload is the idiom shows beside one that costs nothing.
      return takesTime || options.has("--media") ? [.http] : [.http, .instant]
    }
    if options.has("--media") || options.has("--store") { return [.file] }
    if pattern == .blocking { return [.blocking] }
    return takesTime ? [.latency] : [.instant]
  }

  private func endpoint() throws -> Endpoint {
    guard let text = options.text("--endpoint") else {
      throw UsageError(
        "--service http needs --endpoint URL: a server that takes PUT. `Scripts/upload-server start` starts one and prints its URL."
      )
    }
    do { return try Endpoint(text) } catch { throw UsageError("--endpoint \(error).") }
  }

  private func check(_ scenario: Scenario) throws {
    let service = scenario.service.rawValue
    let isTimed = scenario.service == .latency || scenario.service == .blocking
    if !isTimed, options.has("--order") {
      throw UsageError("--order needs --service latency: \(service) completes as it goes.")
    }
    if scenario.service == .instant, options.has("--cancel-after") {
      throw UsageError(
        "--cancel-after needs --service latency: on instant the job would end before the cancel.")
    }
    if options.has("--cancel-after"), let fault = options.firstGiven(["--fail-at", "--failure-rate"]),
      scenario.faults.kind == .refusal, scenario.faults.mirror == nil
    {
      throw UsageError(
        "--cancel-after and \(fault) exclude each other: what is refused ends the job before it could be cancelled."
      )
    }
    if scenario.service != .file, options.has("--fsync") {
      throw UsageError("--fsync needs --service file: \(service) writes nothing to this machine's disk.")
    }
    let services = try services(for: scenario.pattern)
    for name in ["--store", "--media"] where options.has(name) && !services.contains(where: \.keepsBytes) {
      throw UsageError("\(name) needs --service file or http: \(service) keeps no bytes.")
    }
    if options.has("--endpoint"), !services.contains(.http) {
      throw UsageError("--endpoint needs --service http: \(service) is in this process.")
    }
    if let index = scenario.faults.failAt, index >= scenario.fanOut {
      throw UsageError("--fail-at \(index): \(Self.places(scenario)); they are counted from 0.")
    }
    if scenario.pattern == .resilient, let chance = scenario.chance(for: try Wiring.post(scenario)) {
      throw UsageError("\(chance).")
    }
    if scenario.faults.kind == .silence, let problem = silenceProblem(scenario) { throw UsageError(problem) }
  }

  private static func places(_ scenario: Scenario) -> String {
    switch scenario.pattern {
    case .zip, .zipSerial: "\(scenario.pattern.rawValue) has three lookups"
    case .stream: "this stream has \(scenario.fanOut) chunks"
    default: "a post of \(scenario.fanOut) media has no media \(scenario.faults.failAt ?? 0)"
    }
  }

  /// What is never answered must be given up by somebody.
  private func silenceProblem(_ scenario: Scenario) -> String? {
    if scenario.service != .latency, scenario.service != .http {
      return
        "--fault silence needs --service latency or http: \(scenario.service.rawValue) answers everything."
    }
    if scenario.cancelAfter != nil { return nil }
    switch scenario.pattern {
    case .resilient:
      return scenario.retry.attemptDeadline == nil && scenario.retry.deadline == nil
        ? "--fault silence needs --attempt-timeout or --deadline: the upload would be waited for for ever."
        : nil
    case .race:
      return scenario.faults.mirror == nil
        ? "--fault silence needs --mirror: with both silent the race would never end." : nil
    default:
      return "--fault silence needs --cancel-after: \(scenario.pattern.rawValue) would never end. "
        + "(race and resilient cope with it.)"
    }
  }

  private var orders: [CompletionOrder] {
    get throws {
      try options.list("--order")?.map { name in
        guard let order = CompletionOrder(rawValue: name) else {
          throw UsageError.unknown("order", name, among: CompletionOrder.allCases.map(\.rawValue))
        }
        return order
      } ?? [.shuffled]
    }
  }

  /// How many photos and videos a post has.
  private struct PostShape {
    var photos: Int
    var videos = 0
    var directory: String?
    var meanBytes: Int?
    var checksum: UInt64?
  }

  private var posts: [PostShape] {
    get throws {
      let fanOuts = try options.integers("--fan-out", in: 0...Post.mostMedia)
      guard let directory = options.text("--media") else {
        return (fanOuts ?? [100]).map { PostShape(photos: $0 - $0 / 5, videos: $0 / 5) }
      }
      if fanOuts != nil {
        throw UsageError("--media and --fan-out exclude each other: the folder decides how many.")
      }
      let media = try Wiring.media(in: directory)
      let photos = media.count { $0.kind == .photo }
      return [
        PostShape(
          photos: photos, videos: media.count - photos, directory: directory,
          meanBytes: media.reduce(0) { $0 + $1.byteCount } / media.count, checksum: Wiring.checksum(of: media)
        )
      ]
    }
  }

  /// Says all that was chosen, so that no two scenarios of a run share a name; what is too long for a record ends in a
  /// checksum of the whole instead.
  private func name(of scenario: Scenario) -> String {
    var parts = [scenario.pattern.rawValue, scenario.service.rawValue]
    if scenario.mediaDirectory != nil { parts.append("media") }
    // Of a stream the payload and the chunk say it.
    if scenario.problem == nil { parts.append("\(scenario.fanOut)") }
    let values = [
      "--limit", "--payload", "--prepare", "--behind", "--priority", "--chunk", "--buffer", "--uploaders",
      "--hedge", "--attempts",
      "--attempt-timeout", "--deadline", "--backoff", "--fail-at", "--failure-rate", "--fault",
      "--fail-attempts", "--mirror", "--cancel-after",
    ]
    for option in values {
      if let value = options.text(option) { parts.append("\(option.dropFirst(2))-\(value)") }
    }
    if scenario.holdsAnswers { parts.append("hold") }
    if options.has("--order") { parts.append(scenario.order.rawValue) }
    if scenario.syncsToDisk { parts.append("fsync") }
    let name = parts.joined(separator: "-").replacingOccurrences(of: "µ", with: "u")
    return name.utf8.count <= RecordName.mostBytes ? name : Self.shortened(name)
  }

  private static func shortened(_ name: String) -> String {
    var checksum = Checksum()
    Array(name.utf8).withUnsafeBytes { checksum.update($0) }
    let ending = "-" + String(format: "%016llx", checksum.value)
    // Up to the last hyphen that has room: no value is cut in two.
    let start = name.prefix(RecordName.mostBytes - ending.count + 1)
    return start.prefix(upTo: start.lastIndex(of: "-") ?? start.endIndex) + ending
  }
}
