import Foundation
import Results
import UploadScenario
import UploadServices

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
      try ScenarioOption.check(options, patterns)
      let posts = try posts
      let orders: [CompletionOrder] = try options.choices("--order", "order") ?? [.shuffled]
      return try patterns.flatMap { pattern in
        // `--fan-out` does not apply to streams, which upload one media file, nor to lookups, which upload none.
        let posts = pattern.unit == .upload ? posts : [Scenario(name: "", photos: pattern.isChunked ? 1 : 0)]
        return try posts.flatMap { post in
          try services(for: pattern).flatMap { service in
            try orders.map { try scenario(pattern, post, on: service, $0) }
          }
        }
      }
    }
  }

  private func scenario(
    _ pattern: Pattern, _ post: Scenario, on service: ServiceKind, _ order: CompletionOrder
  ) throws -> Scenario {
    var scenario = post
    (scenario.pattern, scenario.service) = (pattern, service)
    for row in ScenarioOption.all { try row.apply(options, to: &scenario) }
    if post.mediaDirectory != nil { scenario.payloadBytes = post.payloadBytes }
    if pattern.isChunked, !options.has("--payload") { scenario.payloadBytes = 64 * scenario.chunkBytes }
    if scenario.behind > 0, !options.has("--priority") { scenario.priority = .high }
    scenario.retry.longestBackoff = max(scenario.retry.longestBackoff, scenario.retry.firstBackoff)
    scenario.order = order
    scenario.reseed(seed)
    scenario.storeDirectory = service.keepsBytes ? options.text("--store") : nil
    scenario.endpoint = service == .http ? try endpoint().url : nil
    scenario.name = name(of: scenario)
    try check(scenario.faults)
    // For an invalid scenario, the number of uploads is unknown, so `--fail-at` cannot be compared with it.
    if scenario.problem == nil { try check(scenario) }
    return scenario
  }

  private func services(for pattern: Pattern) throws -> [ServiceKind] {
    if let services: [ServiceKind] = try options.choices("--service", "service") {
      if services.contains(.file), services.contains(.http), options.has("--store") {
        throw UsageError("--store is ambiguous with the services file and http: give one of them.")
      }
      return services
    }
    let takesTime =
      ScenarioOption.all.contains { $0.takesTime && options.has($0.option.name) }
      || options.text("--fault") == Faults.Kind.silence.rawValue
    if options.has("--endpoint") {
      // The instant service answers without delay. It is measured, too, to show how much of the time is the contender's own.
      return takesTime || options.has("--media") ? [.http] : [.http, .instant]
    }
    if options.has("--media") || options.has("--store") { return [.file] }
    if pattern.blocksThreads { return [.blocking] }
    return takesTime ? [.latency] : [.instant]
  }

  func endpoint() throws -> Endpoint {
    if let text = options.text("--endpoint") { return try HTTPStore.endpoint(text) }
    throw UsageError(
      "--service http needs --endpoint URL: a server that takes PUT. `Scripts/upload-server start` starts one and prints its URL."
    )
  }

  /// Throws if options about failures contradict each other.
  private func check(_ faults: Faults) throws {
    if let given = options.firstGiven(["--fault", "--mirror"]), faults.isEmpty {
      throw UsageError("\(given) needs --fail-at or --failure-rate, which say what fails.")
    }
    guard options.has("--fail-attempts") else { return }
    if faults.failAt == nil {
      throw UsageError("--fail-attempts needs --fail-at, which says what fails.")
    }
    if faults.kind == .refusal {
      throw UsageError(
        "--fail-attempts needs --fault transient or silence: a refused request is not tried again.")
    }
  }

  private func check(_ scenario: Scenario) throws {
    let services = try services(for: scenario.pattern)
    for row in ScenarioOption.all where options.has(row.option.name) {
      try row.check(scenario.service, among: services)
    }
    if scenario.cancelAfter != nil, let fault = options.firstGiven(["--fail-at", "--failure-rate"]),
      scenario.faults.kind == .refusal, scenario.faults.mirror == nil
    {
      throw UsageError(
        "--cancel-after and \(fault) exclude each other: a refused request ends the job before the cancel."
      )
    }
    if scenario.holdsAnswers, options.has("--latency") {
      throw UsageError("--latency and --hold exclude each other: --hold sets when requests are answered.")
    }
    if let index = scenario.faults.failAt, index >= scenario.fanOut {
      throw UsageError("--fail-at \(index): \(places(scenario, index)); they are counted from 0.")
    }
    if scenario.pattern.retries, let chance = scenario.chance(for: try Wiring.post(scenario)) {
      throw UsageError("\(chance).")
    }
    if scenario.faults.kind == .silence, let problem = silenceProblem(scenario) {
      throw UsageError("--fault silence needs \(problem)")
    }
  }

  private func places(_ scenario: Scenario, _ index: Int) -> String {
    switch scenario.pattern.unit {
    case .lookup: "\(scenario.pattern.rawValue) has three lookups"
    case .chunk: "this stream has \(scenario.fanOut) chunks"
    case .upload: "a post of \(scenario.fanOut) media files has no media file \(index)"
    }
  }

  /// Advice about the option that is missing, if a request without an answer would make the job hang. `nil` if none is missing.
  private func silenceProblem(_ scenario: Scenario) -> String? {
    if scenario.service != .latency, scenario.service != .http {
      return "--service latency or http: \(scenario.service.rawValue) answers every request."
    }
    if scenario.cancelAfter != nil { return nil }
    switch scenario.pattern.requests {
    case .attempts:
      return scenario.retry.attemptDeadline == nil && scenario.retry.deadline == nil
        ? "--attempt-timeout or --deadline: the upload would never end." : nil
    case .mirrors:
      return scenario.faults.mirror == nil
        ? "--mirror: with two silent mirrors, the race would never end." : nil
    case .one, .urlThenUpload:
      return "--cancel-after: \(scenario.pattern.rawValue) would never end. "
        + "(The patterns race and resilient end without an answer.)"
    }
  }

  /// One scenario for each `--fan-out`, or one for the folder of `--media`. Their other properties are set later.
  private var posts: [Scenario] {
    get throws {
      let fanOuts = try options.integers("--fan-out", in: 0...Post.mostMedia)
      guard let directory = options.text("--media") else {
        return (fanOuts ?? [100]).map { Scenario(name: "", fanOut: $0) }
      }
      if fanOuts != nil {
        throw UsageError(
          "--media and --fan-out exclude each other: a post has all media files of the folder.")
      }
      let media = try Wiring.media(in: directory)
      let photos = media.count { $0.kind == .photo }
      return [
        Scenario(
          name: "", photos: photos, videos: media.count - photos,
          payloadBytes: media.reduce(0) { $0 + $1.byteCount } / media.count
        ) { ($0.mediaDirectory, $0.mediaChecksum) = (directory, Wiring.checksum(of: media)) }
      ]
    }
  }

  /// The name shows every choice of the user, so that no two scenarios of a run have the same name.
  private func name(of scenario: Scenario) -> String {
    var parts = [scenario.pattern.rawValue, scenario.service.rawValue]
    if scenario.mediaDirectory != nil { parts.append("media") }
    if scenario.problem == nil { parts.append("\(scenario.fanOut)") }
    var words: [String] = []
    for row in ScenarioOption.all {
      guard let value = options.text(row.option.name) else { continue }
      switch row.fragment {
      case .none: break
      case .value:
        let unit = row.option.value == "TIME" && Double(value) != nil ? "s" : ""
        parts.append("\(row.option.name.dropFirst(2))-\(value)\(unit)")
      case .word(let word): words.append(word(scenario))
      }
    }
    let name = (parts + words.reversed()).joined(separator: "-").replacingOccurrences(of: "µ", with: "u")
    return name.utf8.count <= RecordName.mostBytes ? name : Self.shortened(name)
  }

  /// Cuts a name that is too long, and ends it in a checksum of the whole name.
  private static func shortened(_ name: String) -> String {
    var checksum = Checksum()
    Array(name.utf8).withUnsafeBytes { checksum.update($0) }
    let ending = "-" + String(format: "%016llx", checksum.value)
    // The name is cut at a hyphen, so that no value is cut in half.
    let start = name.prefix(RecordName.mostBytes - ending.count + 1)
    return start.prefix(upTo: start.lastIndex(of: "-") ?? start.endIndex) + ending
  }
}
